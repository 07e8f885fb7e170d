/** The console at `/console`, or at the path that `CONSOLE` names. `off` serves none. */
import { defineRoute, type RouteGroup } from '../endpoint/define-route.ts'
import type { RouteContext } from '../endpoint/route-access.ts'
import { StartError } from '../errors.ts'
import { filesAt, openPageRoute, pageListing } from '../http/engine-route-texts.ts'
import { checkPageAccepted } from '../http/pages/html-page.ts'
import { text } from '../resource/fields/text.ts'
import type { ConsolePage } from './console-page.ts'

export type ConsoleRouteDeps = { readonly page: ConsolePage }

/** The program in the page shows another part at each of these addresses. */
const places = ['/:part', '/:part/:id', '/:part/:id/:under'] as const
const named = text({ description: 'A part of the console.' })

function pageAt(path: string, names: readonly string[]) {
  return defineRoute({
    method: 'GET',
    path,
    describe: { line: { operation: 'console', who: 'anyone', answers: '200 a page' } },
    ...openPageRoute,
    parameters: Object.fromEntries(names.map((name) => [name, named])) as never,
    output: { 200: pageListing },
    run({ request: { headers } }, { page }: ConsoleRouteDeps) {
      checkPageAccepted(headers)
      return page.answer(names.length)
    },
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
      pageAt(consolePath, []),
      ...places.map((place) =>
        pageAt(
          `${consolePath}${place}`,
          [...place.matchAll(/:(\w+)/g)].map(([, name]) => name as string),
        ),
      ),
    ],
  }
}
