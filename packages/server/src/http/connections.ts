/** Tracks which connections are open and which responses they still owe, so that a drain loses nothing and ends. */
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { constants, getPriority, setPriority } from 'node:os'

export type Connection = {
  /** Responses that are still to be written. */
  readonly owed: Set<ServerResponse>
  /** Undefined until the first request, which may be on its way. */
  latest: IncomingMessage | undefined
}

export type Connections = {
  readonly open: ReadonlyMap<Socket, Connection>
  inFlight(): number
  /** Stops listening and resolves when every connection is closed. Those still open after `msMax` are cut. */
  close(msMax: number): Promise<void>
}

/** How long a new connection may wait to send its first request once we are closing. */
const freshMsMax = 1000
const turnsMax = 500
const turnsAwake = 10
const shortTurnMs = 0.02
const sleepMs = 2

/** Resolves when all connections are closed. The http server's own close would also destroy idle ones, with responses not yet flushed. */
function stopListening(server: NetServer): Promise<void> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()))
}

/** Runs the closing code once on another port, so that it is compiled before it matters. */
async function rehearse(): Promise<void> {
  const other = new NetServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  await stopListening(other)
}

/** Raises the priority where we may (as root): while we wait for a processor between accepting and closing, clients still connect. */
async function withPriority(work: () => Promise<void>): Promise<void> {
  const before = getPriority()
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST)
  } catch {
    return work()
  }
  await work()
  setPriority(before)
}

/**
 * Calls `run` when no connection is waiting to be accepted, since closing would reset it. A short turn of the event loop accepted none, and
 * hardly any can have arrived since. The sleep comes first because the system rarely preempts a process that has just slept. Figures:
 * docs/decisions/0045.
 */
async function onceAllAreAccepted(run: () => void): Promise<void> {
  await rehearse().catch(() => undefined) // the rehearsal only saves time
  await new Promise<void>((resolve) => {
    let turns = 0
    let sinceMs = 0
    function begin(): void {
      sinceMs = performance.now()
      setImmediate(endTurn)
    }
    function endTurn(): void {
      turns += 1
      if (performance.now() - sinceMs < shortTurnMs || turns === turnsMax) {
        run()
        resolve()
      } else if (turns % turnsAwake === 0) setTimeout(begin, sleepMs)
      else begin()
    }
    setTimeout(begin, sleepMs)
  })
}

export function watchConnections(server: Server): Connections {
  const open = new Map<Socket, Connection>()
  let inFlight = 0
  let closing = false
  let freshToo = false

  /** Sends FIN after whatever is still to be written, so a slow reader gets the whole response. */
  function endIdle(socket: Socket, { owed, latest }: Connection): void {
    if (owed.size === 0 && (latest !== undefined || freshToo)) socket.end()
  }
  function endAllIdle(): void {
    for (const [socket, connection] of open) endIdle(socket, connection)
  }
  server.on('connection', (socket: Socket) => {
    open.set(socket, { owed: new Set(), latest: undefined })
    socket.once('close', () => open.delete(socket))
  })
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const connection = open.get(socket)
    if (!connection) return // already closed
    connection.owed.add(response)
    connection.latest = request
    inFlight += 1
    response.once('close', () => {
      inFlight -= 1
      connection.owed.delete(response)
      if (closing) endIdle(socket, connection)
    })
  })

  return {
    open,
    inFlight: () => inFlight,
    async close(msMax) {
      closing = true
      let closed: Promise<void> | undefined
      const stop = () => {
        closed = stopListening(server)
      }
      await withPriority(() => onceAllAreAccepted(stop))
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
      await closed
      clearTimeout(wait)
      clearTimeout(cut)
    },
  }
}
