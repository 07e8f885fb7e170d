/** Where a request came from, as sessions and the audit have it. */

import type { Client } from '../../accounts/sessions/entrance.ts'
import type { Origin } from '../../accounts/sessions/session.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { deviceCookieOf } from './device-cookie.ts'

export function originOf({ address, headers, place }: HttpRequest): Origin {
  return { address, userAgent: headers['user-agent'], ...(place !== undefined && { place }) }
}

/** The same, with the cookie of its device. */
export function clientOf(request: HttpRequest): Client {
  return { ...originOf(request), device: deviceCookieOf(request) }
}
