/**
 * Closes connections on which nothing happens. Node would set a timer for each connection twice a request, and another at each read and write;
 * looking at all of them now and then costs a request nothing.
 */
import type { Limits } from '../../limits.ts'
import type { Connections } from './connections.ts'
import type { Connection } from './one-connection.ts'

type Still = { bytes: number; sinceMs: number }

/** Undefined for a client that has not read its answer: its socket has a timer, which sees every byte that is taken. */
function stillMsMax({ socket, current, latest }: Connection, limits: Limits): number | undefined {
  if (socket.writableLength > 0) return undefined
  const isBetweenRequests = current === undefined && latest?.complete === true
  return isBetweenRequests ? limits.keepAliveTimeoutMs : limits.idleTimeoutMs
}

/** Returns what ends it. */
export function watchIdle({ open }: Pick<Connections, 'open'>, limits: Limits): () => void {
  const seen = new WeakMap<Connection, Still>()
  const look = () => {
    const nowMs = performance.now()
    for (const connection of open.values()) {
      const { socket } = connection
      const bytes = socket.bytesRead + socket.bytesWritten
      const still = seen.get(connection)
      const max = stillMsMax(connection, limits)
      if (!still) seen.set(connection, { bytes, sinceMs: nowMs })
      else if (still.bytes !== bytes || max === undefined) Object.assign(still, { bytes, sinceMs: nowMs })
      else if (nowMs - still.sinceMs >= max) socket.destroy()
    }
  }
  const timer = setInterval(look, limits.connectionsCheckMs).unref()
  return () => clearInterval(timer)
}
