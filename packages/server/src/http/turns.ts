/**
 * One request of a connection at a time. What a client sends before its answer is there waits: what was read with the same packet is held,
 * 64 KiB at most, and the rest stays with the system, unread.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Limits } from '../config.ts'
import { makeBudget } from './budget.ts'
import type { Connection, Connections, Pending } from './connections.ts'

type Serve = (request: IncomingMessage, response: ServerResponse) => void

export function makeTurns({ open, end, settle }: Connections, limits: Limits, serve: Serve): Serve {
  const held = makeBudget<Connection>({
    amountMax: limits.requestsHeldMax,
    cut: ({ socket }) => socket.destroy(),
  })

  /** Node resumes a socket of its own accord, whenever a message is complete. */
  function keepPaused(connection: Connection): void {
    const { socket } = connection
    if (connection.isPipelining) return
    connection.isPipelining = true
    socket.on('resume', () => connection.held.length > 0 && socket.pause())
    socket.once('close', () => held.release(connection))
  }

  function hold(connection: Connection, pending: Pending): void {
    keepPaused(connection)
    if (connection.held.push(pending) === 1) connection.socket.pause()
    held.hold(connection, connection.held.length)
  }

  function begin(connection: Connection, { request, response }: Pending): void {
    connection.current = response
    response.on('close', onClose)
    serve(request, response)
  }

  function takeNext(connection: Connection): void {
    const { socket } = connection
    const next = connection.held.shift()
    if (!next) return
    if (!socket.writable) {
      connection.held = [] // the answer before was the last
      return
    }
    if (connection.held.length > 0) held.hold(connection, connection.held.length)
    else {
      held.release(connection)
      socket.resume()
    }
    begin(connection, next)
  }

  function onClose(this: ServerResponse): void {
    const connection = open.get(this.req.socket)
    if (!connection) return
    end(connection)
    settle(connection)
    takeNext(connection)
  }

  return (request, response) => {
    const connection = open.get(request.socket)
    if (!connection || request.socket.destroyed) return
    connection.latest = request
    if (connection.current) hold(connection, { request, response })
    else begin(connection, { request, response })
  }
}
