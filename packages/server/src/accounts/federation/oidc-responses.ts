/**
 * The responses at the end of a log-in by another issuer. A page goes on with the refresh cookie or
 * the next step, and a program gets the same as JSON.
 */

import { ApiError, factsOfError, isFault } from '../../errors.ts'
import { type HttpRequest, type HttpResponse, json } from '../../http/messages/exchange.ts'
import { answerPage, escapeHtml, policyOf, wantsPage } from '../../http/pages/html-page.ts'
import type { CookieOptions } from '../sessions/cookies/refresh-cookie.ts'
import { cookiesOf } from '../sessions/session-response.ts'
import type { FlowResult } from './federation.ts'
import { setFlowCookie } from './flow-cookie.ts'

const pagePolicy = policyOf({})

type RedirectResponse<S> = { readonly status: S; readonly headers: HttpResponse['headers']; readonly body: null }

export function goTo<S extends 302 | 303>(
  location: string,
  cookies: readonly string[],
  status: S,
): RedirectResponse<S> {
  return { status, headers: { location, 'set-cookie': [...cookies], 'cache-control': 'no-store' }, body: null }
}

/** The fragment of an address: the page reads it, and the browser sends it to no server. */
function withFragment(address: string, said: Readonly<Record<string, string>>): string {
  return `${address}#${new URLSearchParams(said)}`
}

function refusalPage(error: ApiError, returnTo: string): HttpResponse {
  const body = `<h1>Not logged in</h1>\n<p>${escapeHtml(error.message)}.</p>\n<p><a href="${escapeHtml(returnTo)}">Back</a></p>`
  const page = answerPage({ title: 'Not logged in', files: [], body, policy: pagePolicy })
  const headers = { ...page.headers, 'cache-control': 'no-store' }
  return { ...page, status: factsOfError(error.code).status, headers }
}

/** The next step of a log-in, where the refusal says one: a second factor is due. */
function stepOf({ more }: ApiError): Readonly<Record<string, string>> | undefined {
  const { next, ticket, factors } = more ?? {}
  if (typeof next !== 'string' || typeof ticket !== 'string') return undefined
  return { next, ...(Array.isArray(factors) && { factors: factors.join() }), ticket }
}

type FlowEnd = { readonly ended: FlowResult; readonly returnTo: string }

/** The session, or the ticket with which an existing account consents. */
export function answerEnd(options: CookieOptions, request: HttpRequest, { ended, returnTo }: FlowEnd): HttpResponse {
  const isPage = wantsPage(request)
  const taken = setFlowCookie(options, request, '')
  if (ended.logIn) {
    const { accessToken, refreshToken } = ended.logIn
    const cookies = [...cookiesOf(options, request, ended.logIn), taken]
    if (isPage) return goTo(returnTo, cookies, 303)
    return json(200, { accessToken, refreshToken }, { 'set-cookie': cookies, 'cache-control': 'no-store' })
  }
  const step = { next: 'link', ticket: ended.ticket }
  if (isPage) return goTo(withFragment(returnTo, step), [taken], 303)
  if (ended.isAsked) return json(200, step, { 'set-cookie': taken, 'cache-control': 'no-store' })
  const sentence =
    'There is an account with this e-mail address; log in to it, and confirm that this log-in belongs to it'
  throw new ApiError('unauthenticated', sentence, { more: step })
}

/**
 * For browsers: a page, or the next step in the fragment of the address where they go on. Throws
 * the error for all other clients.
 */
export function answerRefusal(
  options: CookieOptions,
  request: HttpRequest,
  { error, returnTo }: { readonly error: unknown; readonly returnTo: string },
): HttpResponse {
  // A fault has to reach the log.
  if (!(error instanceof ApiError) || isFault(error) || !wantsPage(request)) throw error
  const step = stepOf(error)
  return step
    ? goTo(withFragment(returnTo, step), [setFlowCookie(options, request, '')], 303)
    : refusalPage(error, returnTo)
}
