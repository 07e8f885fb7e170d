/** Requests as the standard of `fetch` makes them of its arguments, and after a redirect. */

import type { ReadableStream as ByteStream } from 'node:stream/web'

export type OutgoingRequest = {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  /** Bytes that can be sent again after a redirect, or a stream, which cannot. */
  readonly body: Uint8Array<ArrayBuffer> | ByteStream<Uint8Array> | null
  readonly signal: AbortSignal
  readonly redirect: Request['redirect']
}

/** A body that can be sent again is read into memory; one that its caller streams is not. */
async function bodyOf(request: Request, init: RequestInit | undefined): Promise<OutgoingRequest['body']> {
  if (request.body === null) return null
  if (init?.body instanceof ReadableStream) return request.body as ByteStream<Uint8Array>
  return new Uint8Array(await request.arrayBuffer())
}

const ownHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'te', 'upgrade']
const secretHeaders = ['authorization', 'cookie', 'proxy-authorization']
const bodyHeaders = ['content-encoding', 'content-language', 'content-location', 'content-type']

/** The request after a redirect; undefined where it ends here. */
export function redirected(sent: OutgoingRequest, { status, headers }: Response): OutgoingRequest | undefined {
  const location = headers.get('location')
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return undefined
  const url = new URL(location, sent.url)
  url.username = ''
  url.password = ''
  const next = new Headers(sent.headers)
  if (url.origin !== sent.url.origin) for (const name of secretHeaders) next.delete(name)
  const becomesGet =
    (status === 303 && sent.method !== 'HEAD') || ((status === 301 || status === 302) && sent.method === 'POST')
  if (!becomesGet) return { ...sent, url, headers: next }
  for (const name of bodyHeaders) next.delete(name)
  return { ...sent, url, headers: next, method: 'GET', body: null }
}

export async function requestOf(url: string | URL | Request, init: RequestInit | undefined): Promise<OutgoingRequest> {
  const streams = init?.body instanceof ReadableStream
  const request = new Request(url, { ...init, ...(streams && { duplex: 'half' as const }) })
  const headers = new Headers(request.headers)
  for (const name of ownHeaders) headers.delete(name)
  if (!headers.has('accept')) headers.set('accept', '*/*')
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'gzip, br')
  const { method, signal, redirect } = request
  return { url: new URL(request.url), method, headers, body: await bodyOf(request, init), signal, redirect }
}
