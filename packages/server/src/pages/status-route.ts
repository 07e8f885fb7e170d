/** `/status`: for ADMIN, what an operator looks at first. A browser gets a page, which asks for the same once somebody has logged in. */

import type { ServedEngine } from '../accounts/served-engine.ts'
import { ApiError } from '../errors.ts'
import { identifyCaller, type TakeRate } from '../http/identify-caller.ts'
import { type HttpRequest, json } from '../http/messages/exchange.ts'
import { wantsPage } from '../http/pages/page-answer.ts'
import type { HttpRoute } from '../http/server.ts'
import type { Status } from '../observe/status.ts'
import { logInFormOf } from './log-in-form.ts'
import { filesRoute } from './page-routes.ts'
import { makeStatusPage } from './status-page.ts'

export type AdminJourney = { readonly engine: ServedEngine; readonly takeRate: TakeRate | undefined }
type Parts = {
  readonly journey: AdminJourney
  status(): Promise<Status | undefined>
}

/** Throws `unauthenticated` and `forbidden`. A key that is limited to some operations was not made for this. */
export async function checkAdmin({ engine, takeRate }: AdminJourney, request: HttpRequest): Promise<void> {
  const { principal } = await identifyCaller({ identity: engine.identity, takeRate }, request, { machine: false })
  if (principal.kind !== 'user') throw new ApiError('unauthenticated', 'Token required')
  if (principal.role !== 'ADMIN' || principal.scopes !== null)
    throw new ApiError('forbidden', 'Insufficient permissions', { requiredRoles: ['ADMIN'] })
}

/** Nothing where nobody can be an ADMIN: there the port for metrics has the same. */
export function statusRoutes({ journey, status }: Parts): HttpRoute[] {
  if (!journey.engine.identity.sessions) return []
  const page = makeStatusPage(logInFormOf(journey.engine))
  return [
    {
      methods: ['GET'],
      path: '/status',
      async answer(request) {
        if (wantsPage(request)) return page.answer()
        await checkAdmin(journey, request)
        const found = await status()
        if (!found)
          throw new ApiError('unavailable', 'The numbers cannot be had now, try again', { retryAfterSeconds: 1 })
        return json(200, found, { 'cache-control': 'no-store', vary: 'Accept' })
      },
    },
    filesRoute(page.filesPath, page.files),
  ]
}
