/** Sends requests and reads cookies at the level of HTTP, for tests of headers that fetch hides. */
import { type IncomingHttpHeaders, request } from 'node:http'

export type PlainReply = { status: number; headers: IncomingHttpHeaders; text: string }

type PlainRequest = {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string
}

/**
 * Does not use fetch, which sets Host and joins headers. A list of values sends the header once for
 * each.
 */
export function askPlain(url: string, { method, path, headers = {}, body = '' }: PlainRequest): Promise<PlainReply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      { method, agent: false, headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      },
    )
    sent.on('error', reject).end(body)
  })
}

/**
 * `refreshToken=abc; Path=/auth; HttpOnly` → `{ refreshToken: 'abc', Path: '/auth', HttpOnly: '' }`
 */
export function cookieParts(header: string | string[] | null | undefined): Record<string, string> {
  const parts = String(header ?? '')
    .split('; ')
    .map((part) => {
      const at = part.indexOf('=')
      return at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
    })
  return Object.fromEntries(parts)
}
