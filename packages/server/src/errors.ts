/**
 * The closed list of expected errors, one row for each code: its meaning and its name in each
 * protocol. Any other thrown value is a bug or a fault, and callers learn nothing about it.
 */

/**
 * The credential that a 401 asks for: an access token, a better token than the one sent, or an API
 * key.
 */
export type Challenge = 'token' | 'better-token' | 'key'

type ErrorDescription = {
  readonly status: number
  readonly graphql: string
  /** The meaning that all errors of this code share: `title` in RFC 9457. */
  readonly title: string
  /** One sentence for the documents. */
  readonly about: string
  /** The name of the response in OpenAPI; absent where no operation lists it. */
  readonly answer?: string
  /** The challenge, unless the error names another one. */
  readonly challenge?: Challenge
  /** The error may say when to try again. */
  readonly waits?: true
  /** Only where a declaration has a field that holds files. */
  readonly isOfFiles?: true
}

/** In the order of their statuses. */
export const errorCodes = {
  'bad-request': {
    status: 400,
    graphql: 'BAD_USER_INPUT',
    title: 'Bad request',
    answer: 'Invalid',
    about: 'The request cannot be understood; the sentence names the parameter or field.',
  },
  unauthenticated: {
    status: 401,
    graphql: 'UNAUTHENTICATED',
    title: 'Unauthenticated',
    answer: 'Anonymous',
    challenge: 'token',
    about: 'No credential, or a bad one.',
  },
  forbidden: {
    status: 403,
    graphql: 'FORBIDDEN',
    title: 'Forbidden',
    answer: 'Denied',
    about: 'A good credential that may not do this.',
  },
  'not-found': {
    status: 404,
    graphql: 'NOT_FOUND',
    title: 'Not found',
    answer: 'NotFound',
    about: 'No such record, or none that the caller may see.',
  },
  'method-not-allowed': {
    status: 405,
    graphql: 'METHOD_NOT_ALLOWED',
    title: 'Method not allowed',
    about: 'A known path with another method; `Allow` has those that there are.',
  },
  'not-acceptable': {
    status: 406,
    graphql: 'NOT_ACCEPTABLE',
    title: 'Not acceptable',
    answer: 'NotAcceptable',
    about: '`Accept` excludes the type of the answer.',
  },
  timeout: { status: 408, graphql: 'REQUEST_TIMEOUT', title: 'Request timeout', about: 'The client was too slow.' },
  conflict: {
    status: 409,
    graphql: 'CONFLICT',
    title: 'Conflict',
    answer: 'Conflict',
    about: 'Stored data does not allow it: uniqueness, state, stock.',
  },
  gone: {
    status: 410,
    graphql: 'GONE',
    title: 'Gone',
    answer: 'Gone',
    about: 'The position is of what is known no more; the answer has the one to begin from.',
  },
  'precondition-failed': {
    status: 412,
    graphql: 'PRECONDITION_FAILED',
    title: 'Precondition failed',
    answer: 'Changed',
    about: '`If-Match` names another version.',
  },
  'too-large': {
    status: 413,
    graphql: 'PAYLOAD_TOO_LARGE',
    title: 'Content too large',
    answer: 'TooLarge',
    about: 'The body is too large.',
  },
  'uri-too-long': {
    status: 414,
    graphql: 'URI_TOO_LONG',
    title: 'URI too long',
    about: 'The request target is too long.',
  },
  'unsupported-media-type': {
    status: 415,
    graphql: 'UNSUPPORTED_MEDIA_TYPE',
    title: 'Unsupported media type',
    answer: 'UnsupportedMediaType',
    about: 'The body has another media type or encoding.',
  },
  misdirected: {
    status: 421,
    graphql: 'MISDIRECTED_REQUEST',
    title: 'Misdirected request',
    about: '`Host` is none of the names of this server, or not the one that this needs.',
  },
  'key-mismatch': {
    status: 422,
    graphql: 'IDEMPOTENCY_KEY_MISMATCH',
    title: 'Key mismatch',
    answer: 'KeyMismatch',
    about: 'The `Idempotency-Key` was used for another request.',
  },
  'precondition-required': {
    status: 428,
    graphql: 'PRECONDITION_REQUIRED',
    title: 'Precondition required',
    answer: 'PreconditionRequired',
    about: 'The write must name the version that it changes.',
  },
  'too-many-requests': {
    status: 429,
    graphql: 'TOO_MANY_REQUESTS',
    title: 'Too many requests',
    answer: 'TooMany',
    waits: true,
    about: 'Too often; `Retry-After` says when again.',
  },
  'headers-too-large': {
    status: 431,
    graphql: 'HEADERS_TOO_LARGE',
    title: 'Headers too large',
    about: 'The headers are too large.',
  },
  'checksum-mismatch': {
    status: 460,
    graphql: 'CHECKSUM_MISMATCH',
    title: 'Checksum mismatch',
    isOfFiles: true,
    about: 'The bytes of an upload are not those of the checksum that is said.',
  },
  internal: {
    status: 500,
    graphql: 'INTERNAL_SERVER_ERROR',
    title: 'Internal server error',
    answer: 'Internal',
    about: 'A fault of the server.',
  },
  'bad-gateway': {
    status: 502,
    graphql: 'BAD_GATEWAY',
    title: 'Bad gateway',
    answer: 'BadGateway',
    about: 'Another service, such as a provider of log-ins, did not answer as it should.',
  },
  unavailable: {
    status: 503,
    graphql: 'SERVICE_UNAVAILABLE',
    title: 'Service unavailable',
    answer: 'Unavailable',
    waits: true,
    about: 'Not now; `Retry-After` says when again.',
  },
} as const satisfies Readonly<Record<string, ErrorDescription>>

export type ErrorCode = keyof typeof errorCodes

/** `factsOfError('conflict').status` → 409 */
export function factsOfError(code: ErrorCode): ErrorDescription {
  return errorCodes[code]
}

/** One mistake in a field of a body or in a parameter: its name, and a whole sentence. */
export type FieldProblem = {
  readonly field: string
  readonly detail: string
  /** The members down to the mistake, where it lies inside of the value of a field. */
  readonly path?: readonly string[]
  /** Where a request has a body and parameters: this one is a parameter. */
  readonly isParameter?: true
  /**
   * The members of the body around the field, from the outermost: `['operations', '1', 'body']`.
   */
  readonly within?: readonly string[]
}

/**
 * The limits that can refuse work or cut it off, in the order in which a request meets them. The
 * list is closed because its words are labels of metrics.
 */
export const bounds = [
  'connections',
  'requests-held',
  'request-bodies',
  'unread-answers',
  'overload',
  'rate-limit',
  'log-in-throttle',
  'sign-up-limit',
  'mail-limit',
  'costly-reads',
  'slow-read',
] as const
export type RefusalLimit = (typeof bounds)[number]

export type ApiErrorDetail = {
  /** The reason, for the log only. Callers never see it. */
  cause?: unknown
  /**
   * The credential that would let the caller in, where it differs from the code's own challenge
   * (unauthenticated).
   */
  challenge?: Challenge
  /** The roles that would have been enough (forbidden). */
  requiredRoles?: readonly string[]
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number
  /** The methods that the path knows (method-not-allowed). */
  allow?: readonly string[]
  /** The fields that are wrong, the one of the message among them (bad-request, conflict). */
  mistakes?: readonly FieldProblem[]
  /**
   * Further members of the body beside the sentence (unauthenticated: the next step of a log-in).
   */
  more?: Readonly<Record<string, unknown>>
  /** The limit that refused it. */
  bound?: RefusalLimit
}

/** An error whose `message` is safe to show: it says what to do, and nothing about the inside. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly challenge: Challenge | undefined
  readonly requiredRoles: readonly string[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly allow: readonly string[] | undefined
  readonly mistakes: readonly FieldProblem[]
  readonly more: Readonly<Record<string, unknown>> | undefined
  readonly bound: RefusalLimit | undefined

  constructor(code: ErrorCode, message: string, detail: ApiErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause })
    this.name = 'ApiError'
    this.code = code
    this.challenge = detail.challenge ?? factsOfError(code).challenge
    this.requiredRoles = detail.requiredRoles
    this.retryAfterSeconds = detail.retryAfterSeconds
    this.allow = detail.allow
    this.mistakes = detail.mistakes ?? []
    this.more = detail.more
    this.bound = detail.bound
  }
}

/** The same error with another sentence. The log has the first one, its cause. */
export function rephrased(error: ApiError, message: string): ApiError {
  const { code, challenge, requiredRoles, retryAfterSeconds, allow, mistakes, more, bound } = error
  const detail = { challenge, requiredRoles, retryAfterSeconds, allow, mistakes, more, bound, cause: error }
  return new ApiError(code, message, detail as ApiErrorDetail)
}

/** Anything thrown → what the caller sees of it. */
export function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('internal', errorCodes.internal.title, { cause: error })
}

/** `unauthenticated` because of the token that was sent. It tells the client to get a new one. */
export function badToken(message: 'Token expired' | 'Invalid token', cause?: unknown): ApiError {
  return new ApiError('unauthenticated', message, { challenge: 'better-token', cause })
}

/** `unauthenticated` where a key would let the caller in: none was sent, or a bad one. */
export function badKey(problem: 'missing' | 'invalid'): ApiError {
  const message = problem === 'missing' ? 'API key required' : 'Invalid API key'
  return new ApiError('unauthenticated', message, { challenge: 'key' })
}

/**
 * Whether the log must have it: a bug, or a part of the service that fails and has not been
 * reported yet.
 */
export function isFault({ code, cause }: ApiError): boolean {
  return code === 'internal' || ((code === 'unavailable' || code === 'bad-gateway') && cause !== undefined)
}

/** Whether it is the request that is wrong. A server that is busy or broken says nothing of it. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && factsOfError(error.code).status < 500
}

/** `too-many-requests`. `Retry-After` is the wait in whole seconds, at least one. */
export function tooManyRequests(message: string, waitMs: number, bound?: RefusalLimit): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new ApiError('too-many-requests', message, { retryAfterSeconds, ...(bound && { bound }) })
}

/**
 * A mistake in the configuration or in a declaration. The terminal shows one line, without a stack.
 */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartError'
  }
}
