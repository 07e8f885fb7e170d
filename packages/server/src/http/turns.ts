/**
 * One request of a connection at a time, and a little of each connection in a turn of the event loop. What a client sends before its answer
 * is there waits as bytes: those of the packet that has been read, 64 KiB at most; the rest stays with the system. The parser is given no more
 * than one request, since it could not be stopped in the middle.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection, Connections } from './connections.ts'

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** In one turn. A body in chunks of one byte costs some 0.2 µs a byte. */
const turnBytes = 16_384
const headEnd = Buffer.from('\r\n\r\n')

/** How many of the waiting bytes may be parsed without beginning a second request; almost always all of them. */
function sliceLength({ latest, bodyLeft }: Connection, waiting: Buffer): number {
  const isInBody = latest?.complete === false
  if (isInBody && bodyLeft !== Number.POSITIVE_INFINITY) return Math.min(bodyLeft, waiting.length, turnBytes)
  // A head ends so, and so does a body in chunks, which may have it elsewhere too.
  const at = waiting.indexOf(headEnd)
  const length = at === -1 ? waiting.length : at + headEnd.length
  return isInBody ? Math.min(length, turnBytes) : length
}

/** Whether more bytes can be used now: for the next request, or for the body of this one as long as it is being read. */
function mayParse({ current, held, latest }: Connection): boolean {
  if (held) return false
  if (latest && !latest.complete) return latest.readableLength < latest.readableHighWaterMark
  return current === undefined
}

function parseWaiting(connection: Connection): void {
  const { socket, parse } = connection
  let parsed = 0
  while (connection.waiting && !connection.isOver) {
    if (!mayParse(connection)) return void socket.pause()
    if (parsed >= turnBytes) {
      socket.pause()
      setImmediate(parseWaiting, connection)
      return
    }
    const { waiting } = connection
    const length = sliceLength(connection, waiting)
    connection.waiting = length === waiting.length ? undefined : waiting.subarray(length)
    connection.bodyLeft -= length
    parsed += length
    parse(connection.waiting ? waiting.subarray(0, length) : waiting)
  }
  if (socket.isPaused()) socket.resume()
}

/** Puts itself between the socket and the parser that Node has attached to it. */
export function parseInTurns(connection: Connection): void {
  const { socket, parse } = connection
  socket.off('data', parse)
  socket.on('data', (chunk: Buffer) => {
    if (connection.isOver) return
    connection.waiting = connection.waiting ? Buffer.concat([connection.waiting, chunk]) : chunk
    parseWaiting(connection)
  })
  // Node resumes a socket of its own accord: when a message is complete, and when its reader wants more.
  socket.on('resume', () => connection.waiting && parseWaiting(connection))
}

/** What parses the bytes of a socket: the one listener that Node's server has put there. */
export function parserOf(socket: Socket): (chunk: Buffer) => void {
  return socket.listeners('data')[0] as (chunk: Buffer) => void
}

export function makeTurns(server: Server, { open, settle }: Connections, serve: Serve): Serve {
  function begin(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.current = response
    response.on('close', onClose)
    serve(request, response)
  }
  function onClose(this: ServerResponse): void {
    const connection = open.get(this.req.socket)
    if (connection) settle(connection, takeNext)
  }
  function takeNext(connection: Connection): void {
    const { held, socket } = connection
    connection.held = undefined
    if (!socket.writable) return // the answer before was the last
    if (held) begin(connection, held.req, held)
    else if (connection.waiting) parseWaiting(connection)
  }
  server.on('connect', (_request, socket) => socket.removeAllListeners('data'))

  return (request, response) => {
    const connection = open.get(request.socket)
    if (!connection) return
    connection.latest = request
    connection.bodyLeft = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
    // The last bytes of one request and all of the next came together.
    if (connection.current) connection.held = response
    else begin(connection, request, response)
  }
}
