/** One connection: whose it is, what it waits for, and how far its latest request has come. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { DisconnectSignal, HttpClientInfo } from '../client-info.ts'
import type { ParseBytes } from '../node/undocumented-node.ts'

export type HttpConnection = {
  readonly socket: Socket
  /** Whose it is; undefined for a trusted proxy. */
  readonly addressGroup: string | undefined
  /**
   * The client at its other end. Read once: a connection that has ended no longer has an address.
   */
  readonly client: HttpClientInfo
  readonly departure: DisconnectSignal
  /** It came when all others were in work: only health is answered. */
  readonly isExtra: boolean
  /** The response that is still to be written. */
  current: ServerResponse | undefined
  /** The next ones, whose requests have been parsed already. */
  readonly held: ServerResponse[]
  /** It is read with care (`pipelining.ts`). */
  isCareful: boolean
  /** Bytes that have been read and not parsed. */
  waiting: Buffer | undefined
  /** More of it is parsed in the next turn of the event loop. */
  isDeferred: boolean
  readonly parse: ParseBytes
  /** How much of the body of the latest request is to come; infinite where that is not said. */
  bodyLeft: number
  /** No more is parsed. */
  isOver: boolean
  /** Undefined until the first request, which may be on its way. */
  latest: IncomingMessage | undefined
  /** The server works on a request. Otherwise it waits for the client, to send or to read. */
  inWork: boolean
  /** Since when it waits for the client. */
  sinceMs: number
}
