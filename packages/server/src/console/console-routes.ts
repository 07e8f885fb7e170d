/** The console at `/console`, or at the path that `CONSOLE` names. `off` serves none. */

import { defineRoute, type RouteGroup, type RouteTag } from '../endpoint/define-route.ts'
import { documentedResponse, mediaBody, notModifiedResponse } from '../endpoint/documented-response.ts'
import { type RouteContext, ruleAccess } from '../endpoint/route-access.ts'
import { StartError } from '../errors.ts'
import { filesAt, freeObject, openPageRoute, pageListing } from '../http/engine-route-texts.ts'
import { checkPageAccepted } from '../http/pages/html-page.ts'
import { user } from '../resource/rules/any-user.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import { answerTold, type ToldRouteDeps } from '../rest/told-answer.ts'
import { checkAdmitted } from './console-facts.ts'
import type { ConsolePage } from './console-page.ts'

export type ConsoleRouteDeps = ToldRouteDeps & { readonly page: ConsolePage }

/** How many segments the address has below the console, as browsers count them. */
function depthOf(path: string, asked: string): number {
  return asked.slice(path.length).split('/').length - 1
}

/**
 * The program in the page shows another part at each address below it. Records stand below records
 * to any depth, so each path that is no file is one: `/console/loans/1/lines/2`.
 */
function pageAt(path: string) {
  return defineRoute({
    method: 'GET',
    path,
    alsoAt: [`${path}/*`],
    describe: { line: { operation: 'console', who: 'anyone', answers: '200 a page' } },
    ...openPageRoute,
    output: { 200: pageListing },
    run({ request: { headers, path: asked } }, { page }: ConsoleRouteDeps) {
      checkPageAccepted(headers)
      return page.answer(depthOf(path, asked))
    },
  })
}

const consoleTag: RouteTag = { name: 'Console', description: 'The page for people who see and change records.' }

/** The console asks it after a log-in, where the application has a `defineConsole`. */
const factsRoute = defineRoute({
  method: 'GET',
  path: `${apiPrefix}/_console`,
  describe: {
    id: 'getConsole',
    tag: consoleTag,
    summary: 'Get the console',
    about: 'Its name, logo, colour and modules, for the callers whom it admits.',
    notForModels: true,
    line: { operation: 'console', who: 'callers whom the console admits', answers: '200 its look and its modules' },
  },
  rule: ruleAccess(user),
  limits: { rate: 'read' },
  isRaw: true,
  takesTenant: true,
  output: {
    200: documentedResponse('The console.', {
      headers: ['ETag'],
      body: mediaBody({ 'application/json': { schema: freeObject('Its look and its modules.') } }),
    }),
    304: notModifiedResponse,
  },
  errors: ['bad-request', 'unauthenticated', 'forbidden', 'not-found'],
  run: ({ request }, deps: ConsoleRouteDeps) =>
    answerTold(deps, request, (principal) => {
      checkAdmitted(deps.engine, principal)
      return { ...deps.page.facts?.look, modules: deps.page.facts?.modules ?? [] }
    }),
})

function ownFilesAt(path: string) {
  return filesAt<ConsoleRouteDeps>({
    path: `${path}/own`,
    partOf: path,
    filesOf: ({ page }) => page.facts?.files ?? page.files,
  })
}

export function consoleRoutes({ settings, catalog }: RouteContext): RouteGroup<ConsoleRouteDeps> {
  const { consolePath } = settings
  // Without log-ins there is nothing that a console could do.
  if (consolePath === undefined || !catalog.login) return { routes: [] }
  const twin = [...catalog.resources.values()].find(({ atRoot, path }) => atRoot && path === consolePath)
  if (twin) throw new StartError(`CONSOLE=${consolePath} is the path of "${twin.name}": name another`)
  return {
    routes: [
      filesAt<ConsoleRouteDeps>({
        path: `${consolePath}/assets`,
        partOf: consolePath,
        filesOf: ({ page }) => page.files,
      }),
      ...(catalog.console ? [ownFilesAt(consolePath), factsRoute] : []),
      pageAt(consolePath),
    ],
  }
}
