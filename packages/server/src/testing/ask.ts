/** Sends one request to a running service, and reads its response. */
import { channel } from 'node:diagnostics_channel'

// biome-ignore lint/suspicious/noExplicitAny: a test fails where expected members are missing
export type TestResponse = { status: number; headers: Headers; text: string; body: any }
export type Ask = (method: string, path: string, options?: AskOptions) => Promise<TestResponse>
export type AskOptions = {
  body?: unknown
  /** Sent unchanged, instead of `body` as JSON. */
  raw?: string | Uint8Array
  type?: string
  token?: string
  key?: string
  cookie?: string
  headers?: Record<string, string>
}

/**
 * A response that a test received, for checks against the OpenAPI document of its service. A
 * `problem` fails the request.
 */
export type ExchangedResponse = {
  readonly method: string
  readonly path: string
  readonly reply: TestResponse
  readonly document: () => object
  problem?: Error
}

/** Without subscribers unless the run of the tests adds one. */
const answers = channel('bindery-server.test.answers')

/** Asks as `ask` does, with default options for each request. */
export function askWith(ask: Ask, defaults: AskOptions): Ask {
  return (method, path, options) => ask(method, path, { ...defaults, ...options })
}

/** Throws the problem that a subscriber finds. */
function tell(answered: ExchangedResponse): void {
  if (!answers.hasSubscribers) return
  answers.publish(answered)
  if (answered.problem) throw answered.problem
}

/** `document`: makes the OpenAPI document that the service serves. */
export function makeAsk(url: string, document?: () => object): Ask {
  return async (method, path, { body, raw, type, token, key, cookie, headers = {} } = {}) => {
    const sent: Record<string, string> = { ...headers }
    if (body !== undefined || raw !== undefined)
      sent['content-type'] = type ?? sent['content-type'] ?? 'application/json'
    if (token) sent.authorization = `Bearer ${token}`
    if (key) sent['x-api-key'] = key
    if (cookie) sent.cookie = cookie
    const response = await fetch(url + path, {
      method,
      headers: sent,
      body: (raw ?? (body === undefined ? undefined : JSON.stringify(body))) as never,
      redirect: 'manual',
    })
    const text = await response.text()
    const isJson =
      response.headers.get('content-type')?.includes('json') &&
      !response.headers.get('content-type')?.includes('ndjson')
    const reply: TestResponse = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
    if (document) tell({ method, path, reply, document })
    return reply
  }
}
