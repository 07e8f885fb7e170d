/** A small client of tus for tests, which can cut its connections and lie. */
import assert from 'node:assert/strict'
import { request } from 'node:http'

export type TusReply = {
  readonly status: number
  readonly reason?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}
export type TusSend = {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** The connection is cut after so many bytes of the body. */
  readonly cutAfter?: number
  /** Without a Content-Length. */
  readonly isChunked?: boolean
}

export const uploadsPath = '/api/v1/_uploads'

/** `resource dGhpbmc=,…` */
export const metadataOf = (values: Readonly<Record<string, string>>) =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')

const isCut = { status: 0, headers: {}, text: '' }

/** Requests of one caller. A cut connection answers with status 0. */
export function tusClient(url: string, token?: string, more: Readonly<Record<string, string>> = {}) {
  const own = { 'tus-resumable': '1.0.0', ...(token && { authorization: `Bearer ${token}` }), ...more }

  function send(method: string, path: string, { headers = {}, body, cutAfter, isChunked }: TusSend = {}) {
    const length = body && !isChunked ? { 'content-length': String(body.length) } : {}
    const { promise, resolve } = Promise.withResolvers<TusReply>()
    const sent = request(new URL(path, url), { method, headers: { ...own, ...length, ...headers }, agent: false })
    sent.on('error', () => resolve(isCut))
    sent.on('response', (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk) => chunks.push(chunk))
      const done = () =>
        resolve({
          status: reply.statusCode ?? 0,
          reason: reply.statusMessage,
          headers: reply.headers,
          text: Buffer.concat(chunks).toString(),
        })
      reply.on('end', done).on('error', () => resolve(isCut))
    })
    if (cutAfter === undefined) sent.end(body)
    else sent.write((body as Buffer).subarray(0, cutAfter), () => setTimeout(() => sent.destroy(), 1))
    return promise
  }

  const begin = (metadata: Readonly<Record<string, string>>, length: number, options: TusSend = {}) =>
    send('POST', uploadsPath, {
      ...options,
      headers: { 'upload-length': String(length), 'upload-metadata': metadataOf(metadata), ...options.headers },
    })
  const patch = (path: string, offset: number, body: Buffer, options: TusSend = {}) =>
    send('PATCH', path, {
      body,
      ...options,
      headers: {
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(offset),
        ...options.headers,
      },
    })
  async function offsetOf(path: string): Promise<number> {
    const reply = await send('HEAD', path)
    assert.equal(reply.status, 200)
    return Number(reply.headers['upload-offset'])
  }
  return { send, begin, patch, offsetOf }
}

export type TusClient = ReturnType<typeof tusClient>

/** The path of an upload that has begun. */
export function placeOf({ status, headers, text }: TusReply): string {
  assert.equal(status, 201, text)
  return String(headers.location)
}

export const idOf = (path: string) => path.split('/').at(-1) as string
