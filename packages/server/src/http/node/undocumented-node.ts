/**
 * All undocumented parts of Node's HTTP that this server uses. They pause connections, write a
 * head as text, take a socket from HTTP, and fail a body while its connection stays. A test
 * (`test/http/undocumented-node.test.ts`) checks each on every supported Node. No other file uses
 * such parts.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { freeBytes } from '../../base/free-bytes.ts'

/**
 * Node keeps a head here until the first bytes of the body go out, and notes whether it was sent.
 */
type HeldHead = ServerResponse & { _header: string; _headerSent: boolean }

/** Gives a response its head as text: it goes out with the body, or with the end. */
export function holdHead(raw: ServerResponse, head: string): void {
  const holding = raw as HeldHead
  holding._header = head
}

/** Takes the head of a response, for callers that send it instead of Node. */
export function takeHead(raw: ServerResponse): string {
  const holding = raw as HeldHead
  holding._headerSent = true
  return holding._header
}

/** Parses bytes of a connection. */
export type ParseBytes = (chunk: Buffer) => void

/**
 * The parser of a socket's bytes: the one listener that Node's server attached. Once a caller
 * removes the listener, the parser reads only the bytes that are passed to it.
 */
export function parserOf(socket: Socket): ParseBytes {
  return socket.listeners('data')[0] as ParseBytes
}

/** The lines of Node whose parser copies the bytes of a body. On others they stay as they are. */
const copiesBodies = ['24', '26'].includes(process.versions.node.split('.')[0] as string)

/** Gives back the memory of bytes that are parsed, the last of them as a part of a body. */
export function freeParsed(read: Buffer | undefined): void {
  if (read && copiesBodies) freeBytes(read)
}

type OwnParser = { unconsume(): void; remove(): void; free(): void; close(): void }
type ParsedSocket = Socket & { parser: OwnParser | null }
type SocketOwner = ServerResponse & { detachSocket(socket: Socket): void }

/** Names of the listeners that Node's server attaches. */
const ofServer = /^(bound )?socketOn/

/**
 * Takes the socket of a response from Node's HTTP, which then reads and writes nothing on it, and
 * knows it no longer. A parser, a request and a response take 17 KB. Call it outside of the parser,
 * on a response of which nothing was sent. Undefined where the connection has ended.
 */
export function takeSocket(raw: ServerResponse): Socket | undefined {
  const socket = raw.socket as ParsedSocket | null
  const parser = socket?.parser
  if (!socket || !parser || socket.destroyed) return undefined
  const owner = raw as SocketOwner
  owner.detachSocket(socket)
  for (const event of socket.eventNames())
    for (const listener of socket.listeners(event) as ((...given: unknown[]) => void)[])
      if (ofServer.test(listener.name)) socket.off(event, listener)
  parser.unconsume()
  parser.remove()
  parser.free()
  parser.close()
  socket.parser = null
  return socket
}

/**
 * Makes the server pause each new connection before its first read: an option of net.createServer
 * that http.createServer does not pass on.
 */
export function pauseOnConnect(server: Server): void {
  Object.assign(server, { pauseOnConnect: true })
}

/**
 * Fails the body for its reader. Node's own way would destroy the connection, which still needs the
 * response.
 */
export function failBody(request: IncomingMessage, error: Error): void {
  request.on('error', () => undefined) // the body may have no reader yet
  request._destroy = (reason, done) => done(reason)
  request.destroy(error)
}

/**
 * Resolves when all connections are closed. The http server's own close would also destroy idle
 * ones, with responses not yet flushed.
 */
export function stopListening(server: NetServer): Promise<void> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()))
}
