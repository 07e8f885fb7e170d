/** `RequestError`, which failed requests of the client throw: an error response, or no response. */

/** Codes of error responses that name none. */
const codes: Readonly<Record<number, string>> = {
  400: 'bad-request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  405: 'method-not-allowed',
  406: 'not-acceptable',
  408: 'timeout',
  409: 'conflict',
  410: 'gone',
  412: 'precondition-failed',
  413: 'too-large',
  414: 'uri-too-long',
  415: 'unsupported-media-type',
  422: 'idempotency-mismatch',
  428: 'precondition-required',
  429: 'too-many-requests',
  431: 'headers-too-large',
  503: 'unavailable',
}

export type RequestErrorDetail = {
  readonly status?: number
  readonly code: string
  readonly fields?: Readonly<Record<string, string>>
  readonly retryAfter?: number | undefined
  readonly requestId?: string | undefined
  readonly body?: unknown
  readonly cause?: unknown
}

/** The message is the server's sentence, which says what to do. */
export class RequestError extends Error {
  /** The HTTP status; 0 when no answer came. */
  readonly status: number
  /**
   * The server's code, such as `conflict` or `not-found`; also `no-answer`, `invalid-answer` and
   * `redirected`.
   */
  readonly code: string
  /**
   * The errors of a body by field: `{ price: 'price must be a number' }`. Empty where the server
   * names none.
   */
  readonly fields: Readonly<Record<string, string>>
  /** Seconds to wait before another try. */
  readonly retryAfter: number | undefined
  /** The id of the request in the server's log. */
  readonly requestId: string | undefined
  /** The answer's body: JSON, or text. */
  readonly body: unknown

  constructor(message: string, { status = 0, code, fields = {}, cause, ...rest }: RequestErrorDetail) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'RequestError'
    this.status = status
    this.code = code
    this.fields = fields
    this.retryAfter = rest.retryAfter
    this.requestId = rest.requestId
    this.body = rest.body
  }
}

/** `Retry-After` (RFC 9110, 10.2.3) in seconds from now: a number of seconds, or a date. */
export function parseRetryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1000))
}

/** `#/price` (RFC 6901 as a fragment) → `price`, `#/lines/0` → `lines.0` */
function fieldAt(pointer: string): string {
  const parts = decodeURIComponent(pointer).replace(/^#?\//, '').split('/')
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
}

/**
 * RFC 9457's `errors`: `[{ pointer: '#/price', detail: '…' }]`, or `parameter` for a query. The
 * first sentence about a field counts.
 */
function fieldsOf(errors: unknown): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const { pointer, parameter, detail } of Array.isArray(errors) ? errors : []) {
    const name = typeof pointer === 'string' ? fieldAt(pointer) : parameter
    if (typeof name === 'string' && !Object.hasOwn(fields, name)) fields[name] = String(detail)
  }
  return fields
}

/** `body` is parsed where it is JSON: `{"error": …}`, or a problem by RFC 9457. */
export function errorOf(answer: Response, body: unknown): RequestError {
  const { status, headers } = answer
  const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const sentence = said.detail ?? said.error ?? said.title
  return new RequestError(typeof sentence === 'string' ? sentence : `The server answered ${status}`, {
    status,
    code: typeof said.code === 'string' ? said.code : (codes[status] ?? (status >= 500 ? 'internal' : 'bad-request')),
    fields: fieldsOf(said.errors),
    retryAfter: parseRetryAfter(headers.get('retry-after'), Date.now()),
    requestId: headers.get('x-request-id') ?? undefined,
    body,
  })
}

/**
 * The next step of a log-in: `totp`, `passkey`, or `enrol` for the first factor of an account.
 * `link`: a provider's log-in has the address of an existing account.
 */
export type NextStep = {
  readonly next: 'totp' | 'passkey' | 'enrol' | 'link'
  /** The factors to choose from. Empty for `link`. */
  readonly factors: readonly ('totp' | 'passkey')[]
  /** For the next step; it is valid for five minutes, and ten for `link`. */
  readonly ticket: string
}

function stepOf({ next, factors = [], ticket }: Partial<NextStep>): NextStep | undefined {
  return next && ticket ? { next, factors, ticket } : undefined
}

/** The next step that a failed log-in asks for; undefined where the log-in was refused. */
export function nextStepOf(error: unknown): NextStep | undefined {
  return error instanceof RequestError && error.status === 401 ? stepOf(error.body ?? {}) : undefined
}

/**
 * The next step in the fragment with which a provider sends the browser back; undefined where there
 * is none. `nextStepIn('#next=totp&factors=totp&ticket=…')` → `{ next: 'totp', factors: ['totp'],
 * ticket: '…' }`
 */
export function nextStepIn(fragment: string): NextStep | undefined {
  const { factors, ...said } = Object.fromEntries(new URLSearchParams(fragment.replace(/^#/, '')))
  return stepOf({ ...said, factors: (factors?.split(',') ?? []) as NextStep['factors'] } as Partial<NextStep>)
}
