/**
 * Writes a response that goes on for as long as the client listens, such as a stream of events. Its
 * connection ends with it. Node's HTTP gives up the socket, since thousands of them may wait.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type HttpConnection, makeLasting } from '../connections/one-connection.ts'
import { takeHead, takeSocket } from '../node/undocumented-node.ts'
import type { LastingText, TextSink } from './exchange.ts'

export type WriteLasting = {
  readonly raw: ServerResponse
  readonly connection: HttpConnection
  readonly text: LastingText
  handOver(connection: HttpConnection): void
  /** Called once; `isCut`: the client has left before the end. */
  over(isCut: boolean): void
}

const nowhere: TextSink = { write: () => false, end: () => undefined }

function leaveUnsent({ text, over }: Pick<WriteLasting, 'text' | 'over'>): void {
  text(nowhere).closed()
  over(true)
}

/** Reads what the client still sends, and throws it away: only its end matters. */
function onlyWrite(socket: Socket): void {
  socket.on('error', () => undefined) // it closes, too
  socket.on('end', () => socket.end())
  socket.on('timeout', () => socket.destroy())
  socket.resume()
}

function connect(socket: Socket, { connection, text, handOver, over }: Omit<WriteLasting, 'raw'>): void {
  let isEnded = false
  const source = text({
    write(piece) {
      const hasRoom = socket.write(piece)
      handOver(connection)
      return hasRoom
    },
    end(last) {
      isEnded = true
      socket.end(last)
      handOver(connection)
    },
  })
  socket.on('drain', () => {
    socket.setTimeout(0)
    source.drained()
  })
  socket.once('close', () => {
    source.closed()
    over(!isEnded)
  })
}

/** The head of the response has been written, and nothing sent. */
export function writeLasting(writing: WriteLasting): void {
  // The parser has returned by then.
  setImmediate(() => {
    const { raw, ...rest } = writing
    const socket = takeSocket(raw)
    if (!socket) return leaveUnsent(rest)
    makeLasting(rest.connection)
    onlyWrite(socket)
    socket.write(takeHead(raw), 'latin1')
    connect(socket, rest)
  })
}
