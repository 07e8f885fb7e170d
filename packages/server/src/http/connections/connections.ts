/** Which connections are open, whose they are and what each waits for: for their caps, and for a drain that loses nothing and ends. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Limits } from '../../limits.ts'
import type { Meter } from '../../observe/meter.ts'
import { type Client, departureOf } from '../client.ts'
import { parserOf } from '../node/insides.ts'
import { closePort } from './closing.ts'
import type { Connection } from './one-connection.ts'
import { makeRoom } from './room.ts'
import { makeBudget } from './shared-budget.ts'

export type Connections = {
  readonly open: ReadonlyMap<Socket, Connection>
  /** Requests that the server works on. Those whose body is on its way and answers on theirs are not among them. */
  inWork(): number
  begin(connection: Connection): void
  /** `nowMs`: of `performance.now()`, where it is known. */
  end(connection: Connection, nowMs?: number): void
  /** Ends the work, and notes what of the answer the client has not read. */
  handOver(connection: Connection): void
  /** Whether a response is still to be written. */
  areOwing(): boolean
  /** For a connection whose response was written whole: `next` begins what waits. */
  settle(connection: Connection, next: (connection: Connection) => void): void
  /** Stops listening and resolves when every connection is closed. Those still open after `msMax` are cut. */
  close(msMax: number): Promise<void>
}

/** How long a new connection may wait to send its first request once we are closing. */
const freshMsMax = 1000

/** The responses that a connection still owes, in their order. */
export function owedBy({ current, held }: Connection): ServerResponse[] {
  return current ? [current, ...held] : held
}

/** Whether more of its requests are known than the one in work. */
export function hasMore({ held, waiting }: Connection): boolean {
  return held.length > 0 || waiting !== undefined
}

function clientAt(socket: Socket): Client {
  const isTls = 'encrypted' in socket && socket.encrypted === true
  return { address: socket.remoteAddress ?? '', protocol: isTls ? 'https' : 'http' }
}

function connectionOf(socket: Socket, peer: string | undefined, isExtra: boolean): Connection {
  return {
    socket,
    peer,
    client: clientAt(socket),
    departure: departureOf(socket),
    isExtra,
    current: undefined,
    held: [],
    isCareful: false,
    waiting: undefined,
    isDeferred: false,
    parse: parserOf(socket),
    bodyLeft: 0,
    isOver: false,
    latest: undefined,
    inWork: false,
    sinceMs: performance.now(),
  }
}

/** What waits for the client to read: a piece of a stream is with its response first, and with the socket soon after. */
function unreadBytes({ socket, current }: Connection): number {
  return Math.max(socket.writableLength, current?.writableLength ?? 0)
}

export type Watching = {
  readonly limits: Limits
  readonly meter: Meter
  readonly perAddressMax: number
  /** The name under which the connections of an address are counted. */
  readonly peerOf: (address: string | undefined) => string | undefined
  /** The answer to a connection for which there is no room. */
  readonly refusal: () => string
}

export function watchConnections(
  server: Server,
  { limits, meter, perAddressMax, peerOf, refusal }: Watching,
): Connections {
  const open = new Map<Socket, Connection>()
  const room = makeRoom({ open, limits, perAddressMax, refusal, refused: () => meter.refused('connections') })
  const unread = makeBudget<Connection>({
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
  let closing = false
  let freshToo = false

  /** Sends FIN after whatever is still to be written, so a slow reader gets the whole response. */
  function endIdle(connection: Connection): void {
    if (connection.current === undefined && (connection.latest !== undefined || freshToo)) connection.socket.end()
  }
  function endAllIdle(): void {
    for (const connection of open.values()) endIdle(connection)
  }
  function end(connection: Connection, nowMs?: number): void {
    if (!connection.inWork) return
    connection.inWork = false
    connection.sinceMs = nowMs ?? performance.now()
    inWork -= 1
  }
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket.remoteAddress)
    const connection = connectionOf(socket, peer, room.take(peer) === 'extra')
    open.set(socket, connection)
    socket.once('close', () => {
      unread.release(connection)
      room.leave(connection)
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
    areOwing: () => open.values().some((one) => one.current !== undefined || hasMore(one)),
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
      const wait = setTimeout(
        () => {
          freshToo = true
          endAllIdle()
        },
        Math.min(freshMsMax, msMax),
      )
      const cut = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy()
      }, msMax)
      await allClosed
      clearTimeout(wait)
      clearTimeout(cut)
    },
  }
}
