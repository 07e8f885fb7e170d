/**
 * Sends requests to one server over openapi-fetch: adds credentials, shares one token refresh,
 * retries, and turns failures into `RequestError`. It knows no paths but `/auth`.
 */
import createFetchClient from 'openapi-fetch'
import { fillPath, printQuery } from './address.ts'
import { makeUpload, type UploadFile } from './files/upload.ts'
import { type AccountsClient, makeAccounts } from './identity/accounts.ts'
import {
  type LogInClientApi,
  type LogInCredentials,
  type MailedLink,
  makeLogIn,
  type RefreshBy,
  type SecondFactor,
} from './identity/log-in.ts'
import { memoryStore, type SessionInfo, type TokenStore } from './identity/tokens.ts'
import { errorOf, RequestError } from './request-error.ts'
import type { Version, WriteOptions } from './request-type.ts'
import { type RetryOptions, sendWithRetry, withIdleLimit } from './retry.ts'

export type ClientOptions = Partial<RetryOptions> & {
  /** The address of the server: `https://shop.example`. */
  readonly url: string
  /** For programs: sent with every request as `X-API-Key`. */
  readonly apiKey?: string
  /** Memory by default. */
  readonly tokens?: TokenStore
  /**
   * `cookie` by default in browsers, where scripts then cannot read the refresh token; elsewhere
   * `token`.
   */
  readonly refreshBy?: RefreshBy
  /** Called when the server refuses the refresh token. */
  readonly onLogOut?: () => void
  /**
   * False sends no `Idempotency-Key` that the call does not name. Then POST and PATCH are not
   * repeated, and repeats of PUT and DELETE are not safe.
   */
  readonly idempotencyKeys?: boolean
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
}

export type ApiResponse<T> = {
  readonly body: T
  readonly status: number
  readonly headers: Headers
  /** The version of the record, for `ifMatch`. */
  readonly etag: string | undefined
}

export type AnyRequestOptions = WriteOptions & {
  readonly path?: Readonly<Record<string, unknown>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
}

/** The parts of the client that need no types of an API. */
export type ApiConnection = AccountsClient & {
  readonly url: string
  /** Sends one request and returns the whole response. Throws `RequestError`. */
  send(method: string, path: string, options?: AnyRequestOptions): Promise<ApiResponse<unknown>>
  /**
   * Uploads a file in pieces, goes on after cuts, and returns the id by which a write names it:
   * `{ photo: id }`. Throws `RequestError`.
   */
  readonly upload: UploadFile
  /** The ETag of a record that this client has read by itself or written. */
  etagOf(record: object): string | undefined
  /**
   * Throws `RequestError`: 401 for wrong credentials, and where another step is due, which
   * `nextStepOf` returns.
   */
  logIn(proof: LogInCredentials | SecondFactor | MailedLink): Promise<SessionInfo | undefined>
  /** Ends the session on the server, and forgets the tokens in any case. */
  logOut(): Promise<void>
  /** Resumes the session of an earlier page or program; false when there is none. */
  resume(): Promise<boolean>
  /** The logged-in user and session. */
  session(): Promise<SessionInfo | undefined>
}

const defaults: RetryOptions = { retries: 3, retryAfterMax: 30, timeoutMs: 30_000 }
/**
 * JSON, and problems, which name the fields of an error; streams of lines have types of their own.
 */
const accept = 'application/json, application/problem+json, */*;q=0.1'
const apiPrefix = '/api/v1'
const authPrefix = `${apiPrefix}/auth/`
const logOutPath = `${authPrefix}logout`
const keyed = ['POST', 'PATCH']
/**
 * Repeating these has no further effect, but the response differs: a named version is refused, and
 * a filter finds nothing.
 */
const keyedAtTimes = ['PUT', 'DELETE']

function isKeyed(method: string, { ifMatch, query }: AnyRequestOptions): boolean {
  return keyed.includes(method) || (keyedAtTimes.includes(method) && (ifMatch !== undefined || query !== undefined))
}

/** A browser, or a worker of one. */
function isBrowser(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis
}

/** `crypto.randomUUID` is only there on secure origins, and this everywhere. */
function makeKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Throws `RequestError` for a redirect: following it would send the credentials along. */
function checkRedirect(answer: Response): Response {
  const isRedirect = answer.type === 'opaqueredirect' || (answer.status > 300 && answer.status < 400)
  if (!isRedirect || answer.status === 304) return answer
  const to = answer.headers.get('location')
  throw new RequestError(`The server redirects${to ? ` to ${to}` : ''}: give the client that address itself`, {
    status: answer.status,
    code: 'redirected',
  })
}

/** Whether the body is sent as it is: JSON is, unless the headers give another type. */
function isRaw({ headers = {} }: AnyRequestOptions): boolean {
  const type = new Headers(headers).get('content-type')
  return type !== null && !/\bjson\b/.test(type)
}

/**
 * Sends a request with the current credentials, and once more with a new token when the server
 * refuses the old one.
 */
function makeSend(options: ClientOptions, logIn: () => LogInClientApi) {
  const { apiKey, fetch = (input, init) => globalThis.fetch(input, init) } = options
  const repeating: RetryOptions = {
    retries: options.retries ?? defaults.retries,
    retryAfterMax: options.retryAfterMax ?? defaults.retryAfterMax,
    timeoutMs: options.timeoutMs ?? defaults.timeoutMs,
  }

  function sendAs(request: Request, token: string | undefined): Promise<Response> {
    return sendWithRetry(
      request,
      async (one, signal) => {
        if (token) one.headers.set('authorization', `Bearer ${token}`)
        return checkRedirect(await fetch(one, { signal, redirect: 'manual' }))
      },
      repeating,
    )
  }

  return async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname.includes(authPrefix)) return sendAs(request, undefined)
    if (apiKey) request.headers.set('x-api-key', apiKey)
    const token = await logIn().accessToken()
    const answer = await sendAs(request, token)
    const isWorthRenewing = answer.status === 401 && (token !== undefined || !apiKey)
    if (!isWorthRenewing || !(await logIn().renew(token))) return answer
    await answer.body?.cancel()
    return sendAs(request, await logIn().accessToken())
  }
}

/** The ETags of responses, by the record objects that they returned. */
function makeEtags() {
  const known = new WeakMap<object, string>()
  return {
    of: (record: object) => known.get(record),
    note(body: unknown, etag: string | undefined) {
      if (etag !== undefined && typeof body === 'object' && body !== null) known.set(body, etag)
    },
    /** Throws `TypeError` for a record whose version the client does not know. */
    print(version: Version): string {
      const etag = typeof version === 'string' ? version : known.get(version)
      if (etag !== undefined) return etag
      throw new TypeError('The version of this record is not known: read it alone, not in a list, and do not copy it')
    },
  }
}

/** Throws `TypeError` when `url` is not an address. */
export function makeConnection(options: ClientOptions): ApiConnection {
  const url = new URL(options.url).href.replace(/\/+$/, '')
  const { idempotencyKeys = true, refreshBy = isBrowser() ? 'cookie' : 'token', tokens = memoryStore() } = options
  const sendRequest = makeSend(options, () => logIn)
  const { request } = createFetchClient<Record<string, Record<string, object>>>({
    baseUrl: url,
    fetch: sendRequest,
    headers: { accept, ...options.headers },
    querySerializer: printQuery,
    pathSerializer: fillPath,
  })
  const etags = makeEtags()
  const idleMs = options.timeoutMs ?? defaults.timeoutMs
  /** A stream has a limit of its own: its reader knows how long it may be silent. */
  async function sendLimited(asked: Request, isStream: boolean): Promise<Response> {
    const answer = await sendRequest(asked)
    return isStream && answer.ok ? answer : withIdleLimit(answer, { url: asked.url, idleMs })
  }

  function headersOf(method: string, sent: AnyRequestOptions): Record<string, string> {
    const { headers = {}, ifMatch, idempotencyKey } = sent
    // An import takes no key: each of its lines is stored separately. Nor does a body with files.
    const mayKey = idempotencyKeys && isKeyed(method, sent) && !isRaw(sent) && !(sent.body instanceof FormData)
    const key = idempotencyKey ?? (mayKey ? makeKey() : false)
    return {
      ...(ifMatch !== undefined && { 'if-match': etags.print(ifMatch) }),
      ...(key !== false && { 'idempotency-key': key }),
      ...headers,
    }
  }

  async function send(method: string, path: string, sent: AnyRequestOptions = {}): Promise<ApiResponse<unknown>> {
    // Any other path would become part of the host name.
    if (!path.startsWith('/')) throw new TypeError(`${path} must begin with /`)
    const isAuth = path.startsWith(authPrefix)
    const isStream = sent.parseAs === 'stream'
    const init = {
      fetch: (asked: Request) => sendLimited(asked, isStream),
      params: { path: sent.path, query: sent.query },
      body: sent.body,
      signal: sent.signal,
      parseAs: sent.parseAs,
      headers: isAuth ? sent.headers : headersOf(method, sent),
      ...(isAuth && { credentials: 'include' }),
      // Browsers drop other requests with a page that is left or read again.
      ...(path === logOutPath && sent.body === undefined && { keepalive: true }),
      ...(isRaw(sent) && { bodySerializer: (body: unknown) => body }),
    }
    const { data, error, response } = await request(method as never, path as never, init as never).catch((cause) => {
      if (!(cause instanceof SyntaxError)) throw cause
      throw new RequestError(`${url} does not answer with JSON`, { code: 'invalid-answer', cause })
    })
    if (!response.ok && response.status !== 304) throw errorOf(response, error)
    const etag = response.headers.get('etag') ?? undefined
    etags.note(data, etag)
    return { body: data, status: response.status, headers: response.headers, etag }
  }

  const logIn = makeLogIn({
    store: tokens,
    by: refreshBy,
    post: async (path, body) => (await send('POST', `${authPrefix}${path}`, { body })).body,
    onLogOut: options.onLogOut,
  })
  const { logIn: start, logOut, resume, session } = logIn
  const ask = async (method: string, path: string, sent?: AnyRequestOptions) =>
    (await send(method, `${apiPrefix}${path}`, sent)).body
  const upload = makeUpload({ send, url })
  return { ...makeAccounts({ logIn, ask }), url, send, upload, etagOf: etags.of, logIn: start, logOut, resume, session }
}
