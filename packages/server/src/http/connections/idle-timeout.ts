/**
 * Closes idle connections. Node would set a timer for each connection twice a request, and another
 * at each read and write. A periodic scan of all connections costs a request nothing.
 */
import type { ServerLimits } from '../../limits.ts'
import type { ConnectionTable } from './connections.ts'
import type { HttpConnection } from './one-connection.ts'

type IdleState = { bytes: number; sinceMs: number }

/**
 * Undefined for a client that has not read its response: its socket has a timer, which sees every
 * byte that is sent.
 */
function stillMsMax({ socket, current, latest, isLasting }: HttpConnection, limits: ServerLimits): number | undefined {
  if (socket.writableLength > 0) return undefined
  const isBetweenRequests = current === undefined && !isLasting && latest?.complete === true
  return isBetweenRequests ? limits.keepAliveTimeoutMs : limits.idleTimeoutMs
}

/** Returns the function that stops it. */
export function closeIdleConnections({ open }: Pick<ConnectionTable, 'open'>, limits: ServerLimits): () => void {
  const seen = new WeakMap<HttpConnection, IdleState>()
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
