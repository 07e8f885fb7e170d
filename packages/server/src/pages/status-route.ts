/**
 * `/status`: for the operator's role, what an operator looks at first. A browser gets a page, which asks for the same once somebody has logged in.
 */

import { type DefinedRoute, defineRoute, type Subject } from '../endpoint/define-route.ts'
import { type Ground, inside } from '../endpoint/door.ts'
import { answer, media } from '../endpoint/route-answer.ts'
import { ApiError } from '../errors.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import { identifyCaller, type TakeRate } from '../http/identify-caller.ts'
import { type HttpRequest, json } from '../http/messages/exchange.ts'
import { filesAt } from '../http/own-words.ts'
import { wantsPage } from '../http/pages/page-answer.ts'
import type { Status } from '../observe/status.ts'
import { user } from '../resource/rules/any-user.ts'
import { type Roles, rolesFrom } from '../resource/rules/roles.ts'
import { type StatusPage, statusFilesPath } from './status-page.ts'

export type OperatorJourney = { readonly engine: EdgeEngine; readonly takeRate: TakeRate | undefined }
export type StatusNeeds = {
  readonly journey: OperatorJourney
  readonly page: StatusPage
  status(): Promise<Status | undefined>
}

/** Throws `unauthenticated` and `forbidden`. A key that is limited to some operations was not made for this. */
export async function checkOperator({ engine, takeRate }: OperatorJourney, request: HttpRequest): Promise<void> {
  const { principal } = await identifyCaller({ identity: engine.identity, takeRate }, request, { machine: false })
  if (principal.kind !== 'user') throw new ApiError('unauthenticated', 'Token required')
  const { roles } = engine.catalog
  if (!roles.reaches(principal.role, roles.operator) || principal.scopes !== null)
    throw new ApiError('forbidden', 'Insufficient permissions', { requiredRoles: rolesFrom(roles, roles.operator) })
}

function statusRoute({ operator: who }: Roles): DefinedRoute<StatusNeeds> {
  return defineRoute({
    method: 'GET',
    path: '/status',
    describe: { line: { operation: 'status', who, answers: '200 numbers; a page in a browser' } },
    // The page comes before the log-in.
    rule: inside(user),
    isRaw: true,
    output: { 200: answer('Numbers; a page in a browser.', { body: media({ 'application/json': { schema: {} } }) }) },
    errors: ['unauthenticated', 'forbidden', 'unavailable'],
    async run({ request }, { journey, page, status }: StatusNeeds) {
      if (wantsPage(request)) return page.answer()
      await checkOperator(journey, request)
      const found = await status()
      if (!found)
        throw new ApiError('unavailable', 'The numbers cannot be had now, try again', { retryAfterSeconds: 1 })
      return json(200, found, { 'cache-control': 'no-store', vary: 'Accept' })
    },
  })
}

const files = filesAt<StatusNeeds>({ path: statusFilesPath, partOf: '/status', filesOf: ({ page }) => page.files })

/** None where there are no users: there the port for metrics has the same. */
export function statusRoutes({ catalog }: Ground): Subject<StatusNeeds> {
  return { routes: catalog.login ? [statusRoute(catalog.roles), files] : [] }
}
