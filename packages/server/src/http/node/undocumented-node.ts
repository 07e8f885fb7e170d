/**
 * All that this server uses of Node's HTTP that is not documented: connections are read with care,
 * answers are written whole, and a body can fail while its connection stays.
 * `test/http/undocumented-node.test.ts` says of each what we rely on, and holds every supported
 * Node to it. Nothing else reaches in there.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** Where Node keeps a head until the first bytes of the body go out, and notes that it has gone. */
type HeldHead = ServerResponse & { _header: string; _headerSent: boolean }

/** Gives an answer its head, as text: it goes out with the body, or with the end. */
export function holdHead(raw: ServerResponse, head: string): void {
  const holding = raw as HeldHead
  holding._header = head
}

/** The head of an answer, for whoever sends it instead of Node. */
export function takeHead(raw: ServerResponse): string {
  const holding = raw as HeldHead
  holding._headerSent = true
  return holding._header
}

/** Parses bytes of a connection. */
export type ParseBytes = (chunk: Buffer) => void

/**
 * The parser of the bytes of a socket: the one listener that Node's server has put there. Without
 * it, nothing is parsed but what it is called with.
 */
export function parserOf(socket: Socket): ParseBytes {
  return socket.listeners('data')[0] as ParseBytes
}

/**
 * Has each new connection paused before anything of it is read: an option of net.createServer that
 * http.createServer does not pass on.
 */
export function pauseOnConnect(server: Server): void {
  Object.assign(server, { pauseOnConnect: true })
}

/**
 * Fails the body for whoever reads it. Node's own way would destroy the connection, on which the
 * answer is still to be sent.
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
