/**
 * The state of one connection: its owner, the responses that it owes, and how much of its latest
 * request has arrived.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { DisconnectSignal, HttpClientInfo } from '../client-info.ts'
import type { ParseBytes } from '../node/undocumented-node.ts'

/** The part of a request that tells whether it has arrived. */
type LatestRequest = Pick<IncomingMessage, 'complete' | 'headers' | 'readableLength' | 'readableHighWaterMark'>

export type HttpConnection = {
  readonly socket: Socket
  /** The key under which its connections are counted; undefined for a trusted proxy. */
  readonly addressGroup: string | undefined
  /**
   * The client at its other end. Read once: a connection that has ended no longer has an address.
   */
  readonly client: HttpClientInfo
  readonly departure: DisconnectSignal
  /** It arrived when all others were in work: only health requests are answered. */
  readonly isExtra: boolean
  /** The response that is still to be written. */
  current: ServerResponse | undefined
  /** The responses after it, whose requests have been parsed already. */
  readonly held: ServerResponse[]
  /** The server parses it one request at a time (`pipelining.ts`). */
  isCareful: boolean
  /** Bytes that have been read and not parsed. */
  waiting: Buffer | undefined
  /** The bytes of which those are the end. */
  read: Buffer | undefined
  /** The rest is parsed in the next turn of the event loop. */
  isDeferred: boolean
  parse: ParseBytes
  /** How much of the latest request's body is still to come; infinite for a chunked body. */
  bodyLeft: number
  /** No more bytes are parsed. */
  isOver: boolean
  /** Undefined until the first request. */
  latest: LatestRequest | undefined
  /** Its last response goes on until one side ends it: Node's HTTP does not know it any more. */
  isLasting: boolean
  /** The server works on a request. Otherwise it waits for the client, to send or to read. */
  inWork: boolean
  /** Since when it has waited for the client. */
  sinceMs: number
}

const arrived: LatestRequest = { complete: true, headers: {}, readableLength: 0, readableHighWaterMark: 0 }

/** The connection takes no further request, and forgets its own. */
export function makeLasting(connection: HttpConnection): void {
  connection.isLasting = true
  connection.isOver = true
  connection.current = undefined
  connection.latest = arrived
  connection.waiting = undefined
  connection.read = undefined
  connection.held.length = 0
  connection.parse = () => undefined
}
