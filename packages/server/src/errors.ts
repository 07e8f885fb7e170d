/**
 * The closed list of what can go wrong on purpose. A code says what happened; the edges (`rest/`, `graphql/`)
 * say what that is in their protocol. Anything that is not an `ApiError` is a bug or a fault, and is told to nobody.
 */

export const errorCodes = [
  'bad-request', // the request cannot be understood: syntax, unknown parameter, broken rule of a field
  'unauthenticated', // no credential, or a bad one
  'forbidden', // a good credential that may not do this
  'not-found', // no such record, or none that the caller may see
  'method-not-allowed',
  'not-acceptable',
  'conflict', // the stored state does not allow it: uniqueness, state moves, stock
  'precondition-failed', // If-Match names another version
  'too-large',
  'uri-too-long',
  'unsupported-media-type',
  'too-many-requests',
  'headers-too-large',
  'timeout', // the client was too slow
  'unavailable', // not now: draining, shedding load, database gone
  'internal',
] as const

export type ErrorCode = (typeof errorCodes)[number]

export type ApiErrorDetail = {
  /** Why, for the log only. Never shown. */
  cause?: unknown
  /** The roles that would have been enough (forbidden). */
  requiredRoles?: readonly string[]
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number
  /** The methods that the path knows (method-not-allowed). */
  allow?: readonly string[]
}

/** An error whose `message` is safe to show: it says what to do, and nothing about the inside. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly requiredRoles: readonly string[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly allow: readonly string[] | undefined

  constructor(code: ErrorCode, message: string, detail: ApiErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause })
    this.name = 'ApiError'
    this.code = code
    this.requiredRoles = detail.requiredRoles
    this.retryAfterSeconds = detail.retryAfterSeconds
    this.allow = detail.allow
  }
}

/** Whether the log must tell it: a bug, or something of ours that does not work now and that nobody has told yet. */
export function isFault({ code, cause }: ApiError): boolean {
  return code === 'internal' || (code === 'unavailable' && cause !== undefined)
}

/** `too-many-requests`, to be tried again after the wait in whole seconds, at least one. */
export function tooManyRequests(message: string, waitMs: number): ApiError {
  return new ApiError('too-many-requests', message, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) })
}

/** A mistake of the person who runs or declares: shown as one line on the terminal, without a stack. */
export class StartError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StartError'
  }
}
