/**
 * Checks which web pages may call `/mcp`: a page of another site must not reach a server on the
 * reader's own machine (DNS rebinding).
 */

import { isLoopbackName } from '../base/host-name.ts'
import { ApiError } from '../errors.ts'
import type { HttpRequest } from '../http/messages/exchange.ts'

function isLoopback(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackName(new URL(origin).hostname)
}

/**
 * Agents send no `Origin`; browsers do. Pages of `CORS_ORIGINS` and of this machine are allowed.
 * `Host` proves nothing: in an attack it is the name that the attacker's page uses. Throws
 * `forbidden`.
 */
export function checkOrigin({ headers: { origin } }: Pick<HttpRequest, 'headers'>, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes(origin) || isLoopback(origin)) return
  throw new ApiError('forbidden', 'Requests of this origin are refused')
}
