/**
 * Answers requests that the HTTP parser refuses, which never reach a route. The response has the
 * format of every other error. It follows the responses that the connection owes to earlier,
 * pipelined requests.
 */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, type ErrorCode } from '../../errors.ts'
import { representError } from '../messages/error-response.ts'
import { addGuardHeaders } from '../messages/guard-headers.ts'
import { failBody } from '../node/undocumented-node.ts'
import { type ConnectionTable, pendingResponses } from './connections.ts'

type ParserError = Error & { readonly code?: string; readonly rawPacket?: Buffer }

/**
 * Node's parser reports a long request line and long headers with one error. A request line beyond
 * this length is taken for the cause.
 */
const requestLineBytes = 8192

function codeOf({ code, rawPacket }: ParserError): [ErrorCode, string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const lineEnd = rawPacket?.indexOf('\r\n') ?? 0
    const longLine = lineEnd > requestLineBytes || (lineEnd === -1 && (rawPacket?.length ?? 0) > requestLineBytes)
    return longLine
      ? ['uri-too-long', 'The request target is too long']
      : ['headers-too-large', 'The headers are too large']
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['timeout', 'The request did not arrive in time']
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return ['too-large', 'The chunk extensions are too large']
  return ['bad-request', 'The request is not valid HTTP']
}

/** `request`: set where the parser had read its head before the error. */
export function rawAnswer(error: ApiError, requestId: string, request?: IncomingMessage): string {
  const { status, headers, body } = representError(error, requestId, request)
  const guards: Record<string, string> = {}
  addGuardHeaders(guards)
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${headers['content-type']}`,
    `Content-Length: ${Buffer.byteLength(body as string)}`,
    `X-Request-Id: ${requestId}`,
    ...(error.retryAfterSeconds === undefined ? [] : [`Retry-After: ${error.retryAfterSeconds}`]),
    ...Object.entries(guards).map(([name, value]) => `${name}: ${value}`),
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    '',
    body as string,
  ].join('\r\n')
}

type Refusing = { makeRequestId(): string; refused(requestId: string, error: ApiError): void }

export function answerParserErrors(
  server: Server,
  open: ConnectionTable['open'],
  { makeRequestId, refused }: Refusing,
): void {
  function refuse(socket: Socket, error: ApiError, request?: IncomingMessage): void {
    const connection = open.get(socket)
    const owed = connection ? pendingResponses(connection) : []
    const unfinished = owed.find((response) => !response.req.complete)
    if (unfinished) {
      unfinished.shouldKeepAlive = false
      unfinished.once('close', () => socket.destroySoon())
      failBody(unfinished.req, error)
      return
    }
    if (connection?.latest?.complete === false) {
      socket.destroySoon() // the error is in the body of a request that is already answered
      return
    }
    const requestId = makeRequestId()
    const answer = () => {
      if (!socket.writable) return
      refused(requestId, error)
      socket.end(rawAnswer(error, requestId, request))
      socket.setTimeout(2000, () => socket.destroy())
    }
    const waiting = new Set(owed)
    if (waiting.size === 0) answer()
    for (const response of waiting) {
      response.once('close', () => {
        waiting.delete(response)
        if (waiting.size === 0) answer()
      })
    }
  }
  server.on('clientError', (cause: ParserError, socket: Socket) => {
    const connection = open.get(socket)
    if (cause.code === 'ECONNRESET' || !socket.writable || !connection || connection.isOver) {
      socket.destroy()
      return
    }
    connection.isOver = true
    connection.waiting = undefined
    refuse(socket, new ApiError(...codeOf(cause), { cause }))
  })
  server.on('connect', (request, socket) => {
    refuse(socket as Socket, new ApiError('method-not-allowed', 'CONNECT is not allowed here'), request)
  })
}
