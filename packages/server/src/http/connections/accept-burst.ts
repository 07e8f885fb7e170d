/**
 * Makes bursts of connections fair: connections are accepted before they are read, and client
 * addresses take turns. libuv accepts one connection in each turn of the event loop. Reading and
 * answering it in that turn would delay a health check behind a thousand waiting connections. A
 * trusted proxy's connections carry many clients, so their requests take the turns instead.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { countedAddress } from '../../base/counted-address.ts'
import type { ServerLimits } from '../../limits.ts'
import { pauseOnConnect } from '../node/undocumented-node.ts'

export type AcceptQueue = {
  /**
   * Call it before a request from a trusted proxy begins. `address`: of the client, as the proxy
   * reports it. Resolves when that address has its turn; undefined where no request waits.
   */
  turn(address: string): Promise<void> | undefined
}

/** Waiting requests, by address. Each address has its turn before another has a second one. */
function makeWaiting() {
  const waiting = new Map<string, (() => void)[]>()
  return {
    isEmpty: () => waiting.size === 0,
    add(address: string, begin: () => void): void {
      const own = waiting.get(address)
      if (own) own.push(begin)
      else waiting.set(address, [begin])
    },
    take(): (() => void) | undefined {
      for (const [address, own] of waiting) {
        waiting.delete(address)
        const begin = own.shift()
        if (own.length > 0) waiting.set(address, own) // behind all others
        return begin
      }
      return undefined
    },
  }
}

/**
 * Makes a server accept connections that way. Call it before the server listens. `peerOf`: the
 * address that a connection counts for; undefined for that of a trusted proxy.
 */
export function acceptBeforeReading(
  server: Server,
  limits: Pick<ServerLimits, 'acceptBurstMs' | 'arrivalsPerTurn'>,
  peerOf: (address: string | undefined) => string | undefined = (address = '') => countedAddress(address),
): AcceptQueue {
  const { acceptBurstMs, arrivalsPerTurn } = limits
  const waiting = makeWaiting()
  let acceptingSinceMs = 0
  let hasAccepted = false
  let isLooking = false

  /** Runs once a turn, after the server has accepted and read. */
  function look(): void {
    const isAccepting = hasAccepted && performance.now() - acceptingSinceMs < acceptBurstMs
    if (!isAccepting) {
      for (let begun = 0; begun < arrivalsPerTurn && !waiting.isEmpty(); begun += 1) waiting.take()?.()
      acceptingSinceMs = performance.now()
    }
    isLooking = hasAccepted || !waiting.isEmpty()
    hasAccepted = false
    if (isLooking) setImmediate(look)
  }

  function startLooking(): void {
    if (isLooking) return
    isLooking = true
    acceptingSinceMs = performance.now()
    setImmediate(look)
  }

  pauseOnConnect(server)
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket.remoteAddress)
    hasAccepted = true
    if (peer === undefined) socket.resume()
    else waiting.add(peer, () => void socket.resume())
    startLooking()
  })
  return {
    turn(address) {
      if (!isLooking) return undefined
      return new Promise((resolve) => waiting.add(countedAddress(address), resolve))
    },
  }
}
