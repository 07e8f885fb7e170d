/**
 * Which pages may talk to `/mcp`: a page of another site must not reach a server on the reader's
 * own machine (DNS rebinding).
 */

import { isLoopbackName } from '../base/host-name.ts'
import { ApiError } from '../errors.ts'
import type { HttpRequest } from '../http/messages/exchange.ts'

function isLoopback(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackName(new URL(origin).hostname)
}

/**
 * Agents send no `Origin`; browsers do. Those of `CORS_ORIGINS` and pages of this machine may ask.
 * The name in `Host` proves nothing: it is what the attacker's page calls us. Throws `forbidden`.
 */
export function checkOrigin({ headers: { origin } }: Pick<HttpRequest, 'headers'>, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes(origin) || isLoopback(origin)) return
  throw new ApiError('forbidden', 'Requests of this origin are refused')
}
