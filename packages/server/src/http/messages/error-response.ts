/**
 * Turns errors into responses: the status of the error's code, a body as `{"error"}` or a problem,
 * and the headers of that error.
 */
import { type ApiError, type Challenge, factsOfError } from '../../errors.ts'
import { type HttpResponse, json } from './exchange.ts'
import { type ProblemRequest, problemOf, problemType, wantsProblem } from './problem.ts'

/** `Bearer` as in RFC 6750, section 3, and the machine routes' own scheme. */
const challenges: Readonly<Record<Challenge, string>> = {
  token: 'Bearer realm="bindery"',
  'better-token': 'Bearer realm="bindery", error="invalid_token"',
  key: 'ApiKey realm="bindery"',
}

export function statusOf(error: ApiError): number {
  return factsOfError(error.code).status
}

export function errorHeaders(error: ApiError): Record<string, string> {
  // A refusal concerns one caller at one moment, and its URL may contain a key.
  const headers: Record<string, string> = { 'cache-control': 'no-store' }
  if (error.challenge) headers['www-authenticate'] = challenges[error.challenge]
  if (error.allow) headers.allow = error.allow.join(', ')
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds)
  return headers
}

/** `{"error"}`, or a problem where the request asks for one. */
export function representError(error: ApiError, requestId: string, request: ProblemRequest | undefined): HttpResponse {
  const headers = errorHeaders(error)
  if (!wantsProblem(request?.headers.accept))
    return json(statusOf(error), { error: error.message, ...error.more }, headers)
  const problem = problemOf(error, requestId, request?.method)
  return json(statusOf(error), problem, { ...headers, 'content-type': problemType, vary: 'Accept' })
}
