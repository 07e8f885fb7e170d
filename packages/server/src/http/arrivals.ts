/**
 * Many connections that come at once are accepted before they are read, and the latest are read first. In each turn of the event loop libuv accepts one.
 * If that were read and answered in the same turn, whoever comes behind a thousand others, such as a health check, would wait until all of these have
 * been answered. A connection that comes alone is read in the next turn.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Limits } from '../limits.ts'

/** Has the connections of a server accepted like that. Call it before the server listens. */
export function acceptFirst(server: Server, limits: Pick<Limits, 'acceptBurstMs' | 'arrivalsPerTurn'>): void {
  const { acceptBurstMs, arrivalsPerTurn } = limits
  /** Not read yet, the latest last. */
  const arrived: Socket[] = []
  let acceptingSinceMs = 0
  let hasAccepted = false

  /** Once a turn, after it has accepted and read. */
  function look(): void {
    const isAccepting = hasAccepted && performance.now() - acceptingSinceMs < acceptBurstMs
    if (!isAccepting) {
      for (const socket of arrived.splice(-arrivalsPerTurn)) socket.resume()
      acceptingSinceMs = performance.now()
    }
    hasAccepted = false
    if (arrived.length > 0) setImmediate(look)
  }

  // An option of net.createServer that http.createServer does not pass on.
  Object.assign(server, { pauseOnConnect: true })
  server.on('connection', (socket: Socket) => {
    hasAccepted = true
    arrived.push(socket)
    if (arrived.length > 1) return
    acceptingSinceMs = performance.now()
    setImmediate(look)
  })
}
