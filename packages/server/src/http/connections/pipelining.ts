/**
 * One request of a connection at a time, and a little of each connection in a turn of the event
 * loop. What a client sends before its answer is there waits: what came in the same packet here, 64
 * KiB at most, the rest unread with the system. From then on, or from its first body, a connection
 * is read with care: the parser is given no more than one request at a time, since it could not be
 * stopped in the middle.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerLimits } from '../../limits.ts'
import type { Meter } from '../../observe/meter.ts'
import { hasBody } from '../messages/message.ts'
import type { ConnectionTable } from './connections.ts'
import type { HttpConnection } from './one-connection.ts'
import { makeBudget } from './shared-budget.ts'

type ServeRequest = (request: IncomingMessage, response: ServerResponse) => void

/** In one turn. A body in chunks of one byte costs some 0.2 µs a byte. */
const turnBytes = 16_384
/** So many requests in one packet are an attack: for a while all connections are read with care. */
const manyHeld = 32
const alarmMs = 60_000
const headEnd = Buffer.from('\r\n\r\n')

/**
 * How many of the waiting bytes may be parsed without beginning a second request; almost always all
 * of them.
 */
function sliceLength({ latest, bodyLeft }: HttpConnection, waiting: Buffer): number {
  const isInBody = latest?.complete === false
  if (isInBody && bodyLeft !== Number.POSITIVE_INFINITY) return Math.min(bodyLeft, waiting.length, turnBytes)
  // A head ends so, and so does a body in chunks, which may have it elsewhere too.
  const at = waiting.indexOf(headEnd)
  const length = at === -1 ? waiting.length : at + headEnd.length
  return isInBody ? Math.min(length, turnBytes) : length
}

/**
 * Whether more bytes can be used now: for the next request, or for the body of this one as long as
 * it is being read.
 */
function mayParse({ current, held, latest }: HttpConnection): boolean {
  if (held.length > 0) return false
  if (latest && !latest.complete) return latest.readableLength < latest.readableHighWaterMark
  return current === undefined
}

function parseWaiting(connection: HttpConnection): void {
  const { socket, parse } = connection
  if (connection.isDeferred) return void socket.pause()
  let parsed = 0
  // Node gives the parser of a connection that has ended to the next one.
  while (connection.waiting && !connection.isOver && !socket.destroyed) {
    if (!mayParse(connection)) return void socket.pause()
    if (parsed >= turnBytes) {
      connection.isDeferred = true
      setImmediate(goOn, connection)
      return void socket.pause()
    }
    const { waiting } = connection
    const length = sliceLength(connection, waiting)
    connection.waiting = length === waiting.length ? undefined : waiting.subarray(length)
    connection.bodyLeft -= length
    parsed += length
    parse(connection.waiting ? waiting.subarray(0, length) : waiting)
  }
  if (!socket.destroyed && socket.isPaused()) socket.resume()
}

/** In the next turn. Whatever resumes the socket before that does not count. */
function goOn(connection: HttpConnection): void {
  connection.isDeferred = false
  parseWaiting(connection)
}

/**
 * Puts itself between the socket and the parser that Node has attached to it. Without it the parser
 * reads for itself, which costs less.
 */
function readWithCare(connection: HttpConnection): void {
  const { socket, parse } = connection
  if (socket.destroyed || connection.isOver) return
  socket.off('data', parse)
  socket.on('data', (chunk: Buffer) => {
    if (connection.isOver) return
    connection.waiting = connection.waiting ? Buffer.concat([connection.waiting, chunk]) : chunk
    parseWaiting(connection)
  })
  // Node resumes a socket of its own accord: when a message is complete, and when its reader wants
  // more.
  socket.on('resume', () => {
    if (connection.waiting) parseWaiting(connection)
    else if (connection.held.length > 0 && connection.latest?.complete) socket.pause()
  })
  if (connection.held.length > 0) socket.pause()
}

export type PipeliningDeps = {
  readonly server: Server
  readonly connections: ConnectionTable
  readonly limits: ServerLimits
  readonly meter: Meter
}

export function makePipelining(
  { server, connections, limits, meter }: PipeliningDeps,
  serve: ServeRequest,
): ServeRequest {
  const { open, settle } = connections
  const cut = ({ socket }: HttpConnection) => {
    meter.refused('requests-held')
    socket.destroy()
  }
  const holding = makeBudget<HttpConnection>({ amountMax: limits.requestsHeldMax, cut })
  meter.budget({ name: 'requests-held', max: limits.requestsHeldMax, used: holding.total })

  /** Not before the parser has returned. */
  function takeCare(connection: HttpConnection): void {
    if (connection.isCareful) return
    connection.isCareful = true
    connection.socket.once('close', () => holding.release(connection))
    process.nextTick(readWithCare, connection)
  }
  let alarmUntilMs = 0
  function raiseAlarm(): void {
    alarmUntilMs = performance.now() + alarmMs
    for (const connection of open.values()) takeCare(connection)
  }
  server.on('connection', (socket: Socket) => {
    const connection = alarmUntilMs > performance.now() ? open.get(socket) : undefined
    if (connection) takeCare(connection)
  })
  function begin(connection: HttpConnection, response: ServerResponse): void {
    connection.current = response
    response.on('close', onClose)
    serve(response.req, response)
  }
  function onClose(this: ServerResponse): void {
    const connection = open.get(this.req.socket)
    if (connection) settle(connection, takeNext)
  }
  function takeNext(connection: HttpConnection): void {
    const { socket } = connection
    const next = connection.held.shift()
    if (!socket.writable) return // the answer before was the last
    if (next) {
      holding.hold(connection, connection.held.length)
      begin(connection, next)
    }
    if (connection.waiting) parseWaiting(connection)
    else if (next && socket.isPaused()) socket.resume()
  }
  // Its parser has been given back already.
  server.prependListener('connect', ({ socket }) => {
    socket.removeAllListeners('data')
    const connection = open.get(socket)
    if (connection) connection.isOver = true
  })

  return (request, response) => {
    const connection = open.get(request.socket)
    if (!connection || connection.socket.destroyed) return
    connection.latest = request
    if (connection.current === undefined && !hasBody(request)) return begin(connection, response)
    // Of a packet that was not read with care, a part of the body may have been parsed already.
    const length = connection.isCareful ? request.headers['content-length'] : undefined
    connection.bodyLeft = Number(length ?? Number.POSITIVE_INFINITY)
    takeCare(connection)
    if (connection.current === undefined) return begin(connection, response)
    connection.held.push(response)
    holding.hold(connection, connection.held.length)
    if (connection.held.length === manyHeld) process.nextTick(raiseAlarm)
  }
}
