/** Which connections are open and what they still owe, so that a drain loses nothing and ends. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

export type Connections = {
  readonly owed: ReadonlyMap<Socket, ReadonlySet<ServerResponse>>
  inFlight(): number
  /** Stops listening and resolves when every connection is gone; after the time is up the rest is cut. */
  close(msMax: number): Promise<void>
}

/** How long a new connection has for its first request once we are closing. */
const freshMsMax = 1000
const turnsMax = 500
const shortTurnMs = 0.2

/**
 * What waits to be accepted when we stop listening is reset. Each turn of the event loop accepts all that waits, so we stop at the end of a
 * short turn: hardly anybody can have come since.
 */
async function acceptedAll(): Promise<void> {
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const sinceMs = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    if (performance.now() - sinceMs < shortTurnMs) return
  }
}

export function watchConnections(server: Server): Connections {
  const owed = new Map<Socket, Set<ServerResponse>>()
  /** Nothing was asked on them yet: their first request may be on its way. */
  const fresh = new Set<Socket>()
  let inFlight = 0
  let closing = false

  /** FIN after what is still to be written: a slow reader gets the whole answer. */
  function endIdle(socket: Socket): void {
    if (owed.get(socket)?.size === 0 && !fresh.has(socket)) socket.end()
  }
  server.on('connection', (socket: Socket) => {
    owed.set(socket, new Set())
    fresh.add(socket)
    socket.once('close', () => {
      owed.delete(socket)
      fresh.delete(socket)
    })
  })
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    owed.get(socket)?.add(response)
    fresh.delete(socket)
    inFlight += 1
    response.once('close', () => {
      inFlight -= 1
      owed.get(socket)?.delete(response)
      if (closing) endIdle(socket)
    })
  })

  return {
    owed,
    inFlight: () => inFlight,
    async close(msMax) {
      closing = true
      await acceptedAll()
      // The http server's own close would also destroy idle connections, with answers that are not flushed yet.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
      for (const socket of owed.keys()) endIdle(socket)
      const wait = setTimeout(
        () => {
          fresh.clear()
          for (const socket of owed.keys()) endIdle(socket)
        },
        Math.min(freshMsMax, msMax),
      )
      const cut = setTimeout(() => {
        for (const socket of owed.keys()) socket.destroy()
      }, msMax)
      await closed
      clearTimeout(wait)
      clearTimeout(cut)
    },
  }
}
