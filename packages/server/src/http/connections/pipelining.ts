/**
 * Handles pipelined requests: one request of a connection at a time, and a bounded number of bytes
 * in each turn of the event loop. Later requests wait for the response: those in the same packet
 * here, at most 64 KiB, the rest unread in the system's buffer. After a pipelined request or a
 * first body, the parser gets at most one request at a time. It could not be stopped in the middle.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerLimits } from '../../limits.ts'
import type { Meter } from '../../observe/meter.ts'
import { hasBody } from '../messages/message.ts'
import { freeParsed } from '../node/undocumented-node.ts'
import type { ConnectionTable } from './connections.ts'
import type { HttpConnection } from './one-connection.ts'
import { makeBudget } from './shared-budget.ts'

type ServeRequest = (request: IncomingMessage, response: ServerResponse) => void

/**
 * In one turn, but for a body of known length, which the parser passes on in one piece. A body of
 * one-byte chunks costs about 0.2 µs a byte.
 */
const turnBytes = 16_384
/**
 * So many requests in one packet are an attack: for a while all connections are parsed one request
 * at a time.
 */
const manyHeld = 32
const alarmMs = 60_000
const headEnd = Buffer.from('\r\n\r\n')

/** Whether the next bytes are those of a body of known length. */
function isInBody({ latest, bodyLeft }: HttpConnection): boolean {
  return latest?.complete === false && bodyLeft !== Number.POSITIVE_INFINITY
}

/**
 * How many of the waiting bytes may be parsed without starting a second request; almost always all
 * of them.
 */
function sliceLength(connection: HttpConnection, waiting: Buffer): number {
  const { latest, bodyLeft } = connection
  if (isInBody(connection)) return Math.min(bodyLeft, waiting.length)
  // A head ends with these bytes, and so does a chunked body, which may also contain them.
  const at = waiting.indexOf(headEnd)
  const length = at === -1 ? waiting.length : at + headEnd.length
  return latest?.complete === false ? Math.min(length, turnBytes) : length
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
  // Node gives the parser of an ended connection to the next one.
  while (connection.waiting && !connection.isOver && !socket.destroyed) {
    if (!mayParse(connection)) return void socket.pause()
    if (parsed >= turnBytes) {
      connection.isDeferred = true
      setImmediate(goOn, connection)
      return void socket.pause()
    }
    const { waiting, latest } = connection
    const isBody = latest?.complete === false
    const isOfKnownLength = isInBody(connection)
    const length = sliceLength(connection, waiting)
    connection.waiting = length === waiting.length ? undefined : waiting.subarray(length)
    connection.bodyLeft -= length
    parsed += length
    parse(connection.waiting ? waiting.subarray(0, length) : waiting)
    if (connection.waiting) continue
    // Behind the end of a chunked body there may be bytes that an upgrade keeps.
    if (isBody && (isOfKnownLength || connection.latest?.complete === false)) freeParsed(connection.read)
    connection.read = undefined
  }
  if (!socket.destroyed && socket.isPaused()) socket.resume()
}

/** How much of a body is still to come, when the parser has returned and nothing has been read. */
function bodyLeftOf(latest: HttpConnection['latest']): number {
  const length = latest?.complete === false ? latest.headers['content-length'] : undefined
  return length === undefined ? Number.POSITIVE_INFINITY : Number(length) - (latest?.readableLength ?? 0)
}

/** Continues in the next turn. An earlier resume of the socket has no effect. */
function goOn(connection: HttpConnection): void {
  connection.isDeferred = false
  parseWaiting(connection)
}

/**
 * Puts itself between the socket and the parser that Node attached to it. Without it the parser
 * reads directly, which costs less.
 */
function readWithCare(connection: HttpConnection): void {
  const { socket, parse } = connection
  if (socket.destroyed || connection.isOver) return
  connection.bodyLeft = bodyLeftOf(connection.latest)
  socket.off('data', parse)
  socket.on('data', (chunk: Buffer) => {
    if (connection.isOver) return
    connection.read = connection.waiting ? Buffer.concat([connection.waiting, chunk]) : chunk
    connection.waiting = connection.read
    parseWaiting(connection)
  })
  // Node resumes a socket by itself: when a message is complete, and when its reader wants more.
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

  /** Waits until the parser has returned. */
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
    if (!socket.writable) return // the last response closed the connection
    if (next) {
      holding.hold(connection, connection.held.length)
      begin(connection, next)
    }
    if (connection.waiting) parseWaiting(connection)
    else if (next && socket.isPaused()) socket.resume()
  }
  // Node has taken its parser back already.
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
    // Otherwise part of the body may have been parsed already, which `readWithCare` looks up.
    const length = connection.isCareful ? request.headers['content-length'] : undefined
    connection.bodyLeft = Number(length ?? Number.POSITIVE_INFINITY)
    takeCare(connection)
    if (connection.current === undefined) return begin(connection, response)
    connection.held.push(response)
    holding.hold(connection, connection.held.length)
    if (connection.held.length === manyHeld) process.nextTick(raiseAlarm)
  }
}
