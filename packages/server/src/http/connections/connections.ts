/**
 * The table of open connections, with the client address and state of each. It limits their number
 * and the bytes that clients leave unread, and counts the requests in work. At shutdown it waits
 * for responses to be sent, up to a time limit.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerLimits } from '../../limits.ts'
import type { Meter } from '../../observe/meter.ts'
import { disconnectSignalOf, type HttpClientInfo } from '../client-info.ts'
import { parserOf } from '../node/undocumented-node.ts'
import { closePort } from './closing.ts'
import { makeConnectionLimit } from './connection-limit.ts'
import type { HttpConnection } from './one-connection.ts'
import { makeBudget } from './shared-budget.ts'

export type ConnectionTable = {
  readonly open: ReadonlyMap<Socket, HttpConnection>
  /**
   * Requests that the server works on, without those whose body is arriving or whose response is
   * being sent.
   */
  inWork(): number
  begin(connection: HttpConnection): void
  /** `nowMs`: the value of `performance.now()`, where the caller has it. */
  end(connection: HttpConnection, nowMs?: number): void
  /** Ends the work, and notes how much of the response the client has not read. */
  handOver(connection: HttpConnection): void
  /** Whether a response is still unwritten. */
  areOwing(): boolean
  /** For a connection whose response was written whole: `next` starts the next waiting request. */
  settle(connection: HttpConnection, next: (connection: HttpConnection) => void): void
  /**
   * Stops listening and resolves when every connection is closed. Those still open after `msMax`
   * are cut.
   */
  close(msMax: number): Promise<void>
}

/** How long a new connection may take to send its first request during shutdown. */
const freshMsMax = 1000

/** The responses that a connection still owes, in order. */
export function pendingResponses({ current, held }: HttpConnection): ServerResponse[] {
  return current ? [current, ...held] : held
}

/** Whether more of its requests have arrived than the one in work. */
export function hasQueuedRequests({ held, waiting }: HttpConnection): boolean {
  return held.length > 0 || waiting !== undefined
}

function isOwing({ current, isLasting }: HttpConnection): boolean {
  return current !== undefined || isLasting
}

function clientAt(socket: Socket): HttpClientInfo {
  const isTls = 'encrypted' in socket && socket.encrypted === true
  return { address: socket.remoteAddress ?? '', protocol: isTls ? 'https' : 'http' }
}

function connectionOf(socket: Socket, addressGroup: string | undefined, isExtra: boolean): HttpConnection {
  return {
    socket,
    addressGroup,
    client: clientAt(socket),
    departure: disconnectSignalOf(socket),
    isExtra,
    current: undefined,
    held: [],
    isCareful: false,
    waiting: undefined,
    read: undefined,
    isDeferred: false,
    parse: parserOf(socket),
    bodyLeft: 0,
    isOver: false,
    latest: undefined,
    isLasting: false,
    inWork: false,
    sinceMs: performance.now(),
  }
}

/**
 * Bytes that wait for the client to read. A piece of a stream is first in its response, and soon
 * after in the socket.
 */
function unreadBytes({ socket, current }: HttpConnection): number {
  return Math.max(socket.writableLength, current?.writableLength ?? 0)
}

export type ConnectionTableDeps = {
  readonly limits: ServerLimits
  readonly meter: Meter
  readonly perAddressMax: number
  /** The key under which the connections of an address are counted. */
  readonly addressGroupOf: (address: string | undefined) => string | undefined
  /** The response to a connection for which there is no room. */
  readonly refusal: () => string
}

/** Those whose clients have a FIN, and had the time to read all before it. */
function cutIdle(open: ReadonlyMap<Socket, HttpConnection>, { lastReadMsMax }: ServerLimits): void {
  const readMs = performance.now() - lastReadMsMax
  for (const one of open.values()) {
    const isDone = one.socket.writableFinished && !isOwing(one) && !hasQueuedRequests(one)
    if (isDone && one.sinceMs < readMs) one.socket.destroy()
  }
}

export function trackConnections(
  server: Server,
  { limits, meter, perAddressMax, addressGroupOf, refusal }: ConnectionTableDeps,
): ConnectionTable {
  const open = new Map<Socket, HttpConnection>()
  const refused = () => meter.refused('connections')
  const limit = makeConnectionLimit({ open, limits, perAddressMax, refusal, refused })
  const unread = makeBudget<HttpConnection>({
    amountMax: limits.unreadBytesMax,
    measure: unreadBytes,
    cut({ socket }) {
      meter.refused('unread-answers')
      socket.destroy()
    },
  })
  let inWork = 0
  meter.budget({ name: 'connections', max: limits.connectionsMax, used: () => open.size })
  meter.budget({ name: 'requests-in-work', max: limits.requestsInFlightMax, used: () => inWork })
  meter.budget({ name: 'unread-answers', max: limits.unreadBytesMax, used: unread.total })
  let [closing, freshToo] = [false, false]

  /** Sends FIN after whatever is still to be written, so a slow reader gets the whole response. */
  function endIdle(connection: HttpConnection): void {
    if (!isOwing(connection) && (connection.latest !== undefined || freshToo)) connection.socket.end()
  }
  function endAllIdle(): void {
    for (const connection of open.values()) endIdle(connection)
  }
  function end(connection: HttpConnection, nowMs?: number): void {
    if (!connection.inWork) return
    connection.inWork = false
    connection.sinceMs = nowMs ?? performance.now()
    inWork -= 1
  }
  server.on('connection', (socket: Socket) => {
    const addressGroup = addressGroupOf(socket.remoteAddress)
    const connection = connectionOf(socket, addressGroup, limit.take(addressGroup) === 'extra')
    open.set(socket, connection)
    socket.once('close', () => {
      unread.release(connection)
      limit.leave(connection)
    })
  })

  return {
    open,
    inWork: () => inWork,
    begin(connection) {
      if (connection.inWork) return
      connection.inWork = true
      inWork += 1
    },
    end,
    handOver(connection) {
      end(connection)
      const bytes = unreadBytes(connection)
      if (bytes === 0) return
      unread.hold(connection, bytes)
      connection.socket.setTimeout(limits.idleTimeoutMs)
    },
    areOwing: () => open.values().some((one) => isOwing(one) || hasQueuedRequests(one)),
    settle(connection, next) {
      end(connection)
      if (unread.release(connection)) connection.socket.setTimeout(0)
      connection.current = undefined
      connection.sinceMs = performance.now()
      next(connection)
      if (closing) endIdle(connection)
    },
    async close(msMax) {
      closing = true
      const { allClosed } = await closePort(server)
      endAllIdle()
      const endFresh = () => {
        freshToo = true
        endAllIdle()
      }
      const wait = setTimeout(endFresh, Math.min(freshMsMax, msMax))
      const cutting = setInterval(cutIdle, 100, open, limits)
      const cut = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy()
      }, msMax)
      await allClosed
      clearTimeout(wait)
      clearInterval(cutting)
      clearTimeout(cut)
    },
  }
}
