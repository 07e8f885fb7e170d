/**
 * Many connections that come at once are accepted before they are read, and addresses take turns:
 * of each the one that has waited longest. In each turn of the event loop libuv accepts one. If
 * that were read and answered in the same turn, whoever comes behind a thousand others, such as a
 * health check, would wait until all of these have been answered. Connections of a trusted proxy
 * speak for many, so their requests take the turns instead.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { countedAddress } from '../../base/counted-address.ts'
import type { ServerLimits } from '../../limits.ts'
import { pauseOnConnect } from '../node/undocumented-node.ts'

export type AcceptQueue = {
  /**
   * Call it before a request that a trusted proxy passes on is begun. `address`: of its client, as
   * the proxy says. Resolves when it is that one's turn; undefined where nothing waits.
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
 * Has the connections of a server accepted like that. Call it before the server listens. `peerOf`:
 * for whom an address counts; undefined for that of a trusted proxy.
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

  /** Once a turn, after it has accepted and read. */
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
