/**
 * Limits the number of connections of one address and in all. When there is no room, a new
 * connection replaces the one that has waited longest for its client. Connections with a request in
 * work are never replaced.
 */
import type { Socket } from 'node:net'
import type { ServerLimits } from '../../limits.ts'
import type { HttpConnection } from './one-connection.ts'

export type ConnectionLimit = {
  /** Takes a place for a connection of this peer: `extra` when all others are in work. */
  take(addressGroup: string | undefined): 'normal' | 'extra'
  /** May be called twice. */
  leave(connection: HttpConnection): void
}

type ConnectionLimitDeps = {
  readonly open: Map<Socket, HttpConnection>
  readonly limits: ServerLimits
  readonly perAddressMax: number
  readonly refusal: () => string
  /** Called when a connection is closed for want of room. */
  readonly refused: () => void
}

/** Finding connections to close costs a scan of all of them, so a fiftieth is closed at once. */
const shareThatGoes = 50

export function makeConnectionLimit({
  open,
  limits,
  perAddressMax,
  refusal,
  refused,
}: ConnectionLimitDeps): ConnectionLimit {
  const counts = new Map<string, number>()
  let extras = 0

  function leave({ socket, addressGroup, isExtra }: HttpConnection): void {
    if (!open.delete(socket)) return
    if (isExtra) extras -= 1
    else if (addressGroup !== undefined) {
      const left = (counts.get(addressGroup) ?? 1) - 1
      if (left === 0) counts.delete(addressGroup)
      else counts.set(addressGroup, left)
    }
  }

  /**
   * A client that has sent part of a request gets an error response; other connections are just
   * closed.
   */
  function cut(connection: HttpConnection): void {
    refused()
    const { socket, current, latest } = connection
    const isAsking = latest === undefined ? socket.bytesRead > 0 : !latest.complete
    if (isAsking && !current?.headersSent) socket.write(refusal())
    socket.destroy()
    leave(connection)
  }

  /**
   * Closes connections that have waited longest for their client, of those that may be closed.
   * Returns whether there is room then.
   */
  function clear(countMax: number, mayGo: (connection: HttpConnection) => boolean): boolean {
    const waiting = [...open.values()]
      .filter((one) => !one.inWork && mayGo(one))
      .sort((a, b) => a.sinceMs - b.sinceMs)
      .slice(0, Math.max(1, Math.floor(countMax / shareThatGoes)))
    for (const connection of waiting) cut(connection)
    return waiting.length > 0
  }

  /**
   * The address group with the most connections; undefined when none has more than a fiftieth of
   * all.
   */
  function greediest(): string | undefined {
    let found: string | undefined
    let most = limits.connectionsMax / shareThatGoes
    for (const [addressGroup, count] of counts) {
      if (count <= most) continue
      most = count
      found = addressGroup
    }
    return found
  }

  function hasRoom(addressGroup: string | undefined): boolean {
    const isOf = (whose: string | undefined) => (one: HttpConnection) => !one.isExtra && one.addressGroup === whose
    const own = addressGroup === undefined ? 0 : (counts.get(addressGroup) ?? 0)
    if (own >= perAddressMax && !clear(perAddressMax, isOf(addressGroup))) return false
    if (open.size - extras < limits.connectionsMax) return true
    const most = greediest()
    if (most !== undefined && clear(limits.connectionsMax, isOf(most))) return true
    return clear(limits.connectionsMax, ({ isExtra }) => !isExtra)
  }

  return {
    take(addressGroup) {
      if (hasRoom(addressGroup)) {
        if (addressGroup !== undefined) counts.set(addressGroup, (counts.get(addressGroup) ?? 0) + 1)
        return 'normal'
      }
      if (extras >= limits.connectionsExtraMax) clear(1, ({ isExtra }) => isExtra)
      extras += 1
      return 'extra'
    },
    leave,
  }
}
