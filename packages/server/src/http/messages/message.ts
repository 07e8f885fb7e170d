/**
 * Validates Node's request and turns it into an `HttpRequest`; also reads and discards bodies that
 * no handler wanted.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { DisconnectSignal, HttpClientInfo } from '../client-info.ts'
import type { HttpRequest } from './exchange.ts'
import type { UnreadBody } from './whole-body.ts'

/**
 * A target in absolute form names the same resource as its path alone (RFC 9112, section 3.2.2).
 */
function inOriginForm(target: string): string {
  const rest = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1]
  if (rest === undefined) return target
  return rest.startsWith('/') ? rest : `/${rest}`
}

export type RequestTarget = Pick<HttpRequest, 'path' | 'query'>

export function splitUrl(url: string): RequestTarget {
  const at = url.indexOf('?')
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) }
}

export function targetOf({ url = '/' }: IncomingMessage): RequestTarget {
  return splitUrl(url.startsWith('/') ? url : inOriginForm(url))
}

/** Throws for what HTTP forbids and Node lets through. */
export function checkMessage(raw: IncomingMessage): void {
  if ((raw.url?.length ?? 0) > limits.urlBytesMax) throw new ApiError('uri-too-long', 'The request target is too long')
  const names = raw.rawHeaders
  let seen = ''
  for (let i = 0; i < names.length; i += 2) {
    const name = names[i] as string
    if (name.length !== 4 && name.length !== 13) continue
    const lower = name.toLowerCase()
    if (lower !== 'host' && lower !== 'authorization') continue
    if (seen.includes(lower))
      throw new ApiError(
        'bad-request',
        `The request has more than one ${lower === 'host' ? 'Host' : 'Authorization'} header`,
      )
    seen += lower
  }
  if (!seen.includes('host') && raw.httpVersion === '1.1')
    throw new ApiError('bad-request', 'The request has no Host header')
}

/**
 * A client that does not read while it writes sees no response before it has sent everything (RFC
 * 9112, section 9.6). So a body that is too large is read to its end and discarded, up to a limit.
 * Node does so itself for an unread body; a half-read one would block the connection.
 */
export function discardRest(raw: IncomingMessage): void {
  if (raw.readableEnded || raw.destroyed) return
  const { socket } = raw
  let bytes = 0
  const cut = setTimeout(() => socket.destroy(), limits.bodyTimeoutMs)
  const stop = () => {
    clearTimeout(cut)
    socket.off('close', stop)
  }
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > limits.discardedBytesMax) socket.destroy()
  })
  raw.once('close', stop)
  // once a request is answered, Node no longer reports that its client left
  socket.once('close', stop)
  raw.resume()
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/**
 * A client that sends `Expect: 100-continue` holds its body back until the server asks for it
 * (RFC 9110, section 10.1.1). A request that its headers alone refuse is never asked. Its
 * connection closes then, since the body may still come.
 */
export function invitationOf(raw: IncomingMessage, reply: ServerResponse): UnreadBody['invite'] {
  if (raw.headers.expect?.toLowerCase() !== '100-continue' || raw.httpVersion !== '1.1') return undefined
  const { shouldKeepAlive } = reply
  reply.shouldKeepAlive = false
  return () => {
    if (reply.headersSent || reply.destroyed) return
    reply.shouldKeepAlive = shouldKeepAlive
    reply.writeContinue()
  }
}

type RequestContext = Pick<HttpRequest, 'id' | 'parameters' | 'tell' | 'note'> & {
  readonly target: RequestTarget
  readonly client: HttpClientInfo
  readonly departure: DisconnectSignal
  readonly holding: UnreadBody['holding']
}

/** Each property is named: spreading objects takes as long as a step of a request. */
export function toRequest(
  { raw, invite }: { readonly raw: IncomingMessage; readonly invite: UnreadBody['invite'] },
  { id, target, parameters, client, departure, tell, note, holding }: RequestContext,
): HttpRequest {
  return {
    id,
    method: raw.method ?? '',
    path: target.path,
    query: target.query,
    parameters,
    headers: raw.headers,
    address: client.address,
    protocol: client.protocol,
    place: client.place,
    left: departure.left,
    onLeft: departure.onLeft,
    tell,
    note,
    body: hasBody(raw) ? { stream: raw, holding, invite } : undefined,
  }
}
