/** The client of a request as sessions and the audit record it: its address and user agent. */

import type { HttpRequest } from '../../http/messages/exchange.ts'
import { deviceCookieOf } from './cookies/device-cookie.ts'
import type { ClientOrigin } from './session.ts'
import type { LogInClient } from './start-session.ts'

export function originOf({ address, headers, place }: HttpRequest): ClientOrigin {
  return { address, userAgent: headers['user-agent'], ...(place !== undefined && { place }) }
}

/** The same, with the cookie of its device. */
export function clientOf(request: HttpRequest): LogInClient {
  return { ...originOf(request), device: deviceCookieOf(request) }
}
