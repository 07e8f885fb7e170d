/**
 * `/status`: the figures that an operator looks at first, for the operator's role. A browser is
 * sent to the page of the console, which loads the same figures after the log-in.
 */

import { type DefinedRoute, defineRoute, type RouteGroup } from '../endpoint/define-route.ts'
import { documentedResponse, mediaBody } from '../endpoint/documented-response.ts'
import { type RouteContext, ruleAccess } from '../endpoint/route-access.ts'
import { ApiError } from '../errors.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import { identifyRequest, type TakeRate } from '../http/identify-request.ts'
import { type HttpRequest, json } from '../http/messages/exchange.ts'
import { wantsPage } from '../http/pages/html-page.ts'
import type { Status } from '../observe/status.ts'
import { user } from '../resource/rules/any-user.ts'
import { type Roles, rolesFrom } from '../resource/rules/role-order.ts'

export type OperatorRequestDeps = { readonly engine: EdgeEngine; readonly takeRate: TakeRate | undefined }
export type StatusRouteDeps = {
  readonly journey: OperatorRequestDeps
  status(): Promise<Status | undefined>
}

/**
 * Throws `unauthenticated` and `forbidden`. A key that is limited to some operations does not
 * suffice.
 */
export async function checkOperator({ engine, takeRate }: OperatorRequestDeps, request: HttpRequest): Promise<void> {
  const { principal } = await identifyRequest({ identity: engine.identity, takeRate }, request, { machine: false })
  if (principal.kind !== 'user') throw new ApiError('unauthenticated', 'Token required')
  const { roles } = engine.catalog
  if (!roles.reaches(principal.role, roles.operator) || principal.scopes !== null)
    throw new ApiError('forbidden', 'Insufficient permissions', { requiredRoles: rolesFrom(roles, roles.operator) })
}

/** Without a console (`consolePath`) a browser gets what programs get. */
function statusRoute({ operator: who }: Roles, consolePath: string | undefined): DefinedRoute<StatusRouteDeps> {
  return defineRoute({
    method: 'GET',
    path: '/status',
    describe: { line: { operation: 'status', who, answers: '200 numbers; a browser goes to the console' } },
    // A browser sends no token: the console asks for the log-in.
    rule: ruleAccess(user),
    isRaw: true,
    output: {
      200: documentedResponse('Numbers.', { body: mediaBody({ 'application/json': { schema: {} } }) }),
      303: documentedResponse('To the console, for browsers.', { headers: ['Location'] }),
    },
    errors: ['unauthenticated', 'forbidden', 'unavailable'],
    async run({ request }, { journey, status }: StatusRouteDeps) {
      // Relative, so that a proxy may serve all below a prefix.
      if (consolePath !== undefined && wantsPage(request))
        return { status: 303, headers: { location: `.${consolePath}/_operate/status`, vary: 'Accept' }, body: null }
      await checkOperator(journey, request)
      const found = await status()
      if (!found)
        throw new ApiError('unavailable', 'The numbers cannot be had now, try again', { retryAfterSeconds: 1 })
      return json(200, found, { 'cache-control': 'no-store', vary: 'Accept' })
    },
  })
}

/** Not served where there are no users: there the metrics port has the same figures. */
export function statusRoutes({ catalog, settings }: RouteContext): RouteGroup<StatusRouteDeps> {
  return { routes: catalog.login ? [statusRoute(catalog.roles, settings.consolePath)] : [] }
}
