/** Sends one HTTP request, without redirects, and returns its answer as a `Response`. */

import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Agents } from './agents.ts'
import type { OutgoingRequest } from './outgoing-request.ts'

const bodiless = new Set([101, 103, 204, 205, 304])
const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string)
  return headers
}

/** The body as the sender meant it, whatever coding it came in. */
function decoded(answer: IncomingMessage, headers: Headers): Readable {
  const decode = decoders[headers.get('content-encoding')?.trim().toLowerCase() ?? '']
  if (!decode) return answer
  headers.delete('content-encoding')
  headers.delete('content-length')
  const plain = decode()
  pipeline(answer, plain).catch(() => undefined) // the reader of `plain` gets the error
  return plain as unknown as Readable
}

function responseOf(answer: IncomingMessage, method: string): Response {
  const { statusCode = 0, statusMessage = '' } = answer
  const headers = headersOf(answer)
  if (statusCode < 200 || statusCode > 599) throw new Error(`a status that no answer has: ${statusCode}`)
  if (method === 'HEAD' || bodiless.has(statusCode)) {
    answer.resume()
    return new Response(null, { status: statusCode, statusText: statusMessage, headers })
  }
  const body = Readable.toWeb(decoded(answer, headers)) as ReadableStream<Uint8Array>
  return new Response(body, { status: statusCode, statusText: statusMessage, headers })
}

export function sendOnce(agents: Agents, sent: OutgoingRequest): Promise<Response> {
  const { url, method, headers, body, signal } = sent
  const isTls = url.protocol === 'https:'
  const options = {
    method,
    headers: Object.fromEntries(headers),
    agent: isTls ? agents.tls : agents.plain,
    lookup: agents.lookup,
    signal,
  }
  if (body instanceof Uint8Array) options.headers['content-length'] = String(body.length)
  return new Promise((resolve, reject) => {
    const request = (isTls ? requestTls : requestPlain)(url, options, (answer) => {
      try {
        resolve(responseOf(answer, method))
      } catch (error) {
        answer.destroy()
        reject(error)
      }
    })
    request.on('error', reject)
    if (body === null) request.end()
    else if (body instanceof Uint8Array) request.end(body)
    else pipeline(Readable.fromWeb(body), request).catch(reject)
  })
}
