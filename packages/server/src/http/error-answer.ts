/** Error codes → statuses. A code that is forgotten here does not compile. */
import { ApiError, type ErrorCode } from '../errors.ts'
import { json, type RestResponse } from './exchange.ts'

export const statuses: Readonly<Record<ErrorCode, number>> = {
  'bad-request': 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  timeout: 408,
  conflict: 409,
  'precondition-failed': 412,
  'too-large': 413,
  'uri-too-long': 414,
  'unsupported-media-type': 415,
  'too-many-requests': 429,
  'headers-too-large': 431,
  internal: 500,
  unavailable: 503,
}

/** RFC 6750, section 3; the machine routes' own scheme beside it. */
function challengeOf(message: string): string {
  if (message.includes('API key')) return 'ApiKey realm="bindery"'
  const isToken = message === 'Token expired' || message === 'Invalid token'
  return isToken ? 'Bearer realm="bindery", error="invalid_token"' : 'Bearer realm="bindery"'
}

/** Anything thrown → what the caller sees of it. */
export function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('internal', 'Internal server error', { cause: error })
}

export function errorHeaders(error: ApiError): Record<string, string> {
  // A refusal is for this caller and this moment, and its URL may hold a key.
  const headers: Record<string, string> = { 'cache-control': 'no-store' }
  if (error.code === 'unauthenticated') headers['www-authenticate'] = challengeOf(error.message)
  if (error.allow) headers.allow = error.allow.join(', ')
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds)
  return headers
}

export function representError(error: ApiError): RestResponse {
  return json(statuses[error.code], { error: error.message }, errorHeaders(error))
}
