/**
 * The client of a request: its IP address, and whether it has disconnected. Trusted proxies report
 * the address in headers, of which only valid values count.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { partsOf } from '../base/environment.ts'
import type { Config } from '../config.ts'
import type { HttpConnection } from './connections/one-connection.ts'
import type { HttpRequest } from './messages/exchange.ts'
import type { TrustsProxy } from './proxies.ts'

export type HttpClientInfo = {
  /** An IP address. Empty when the connection ended before its address was read. */
  readonly address: string
  readonly protocol: string
  /** Where the address is, as a trusted proxy says. */
  readonly place?: string | undefined
}

export type DisconnectSignal = Pick<HttpRequest, 'left' | 'onLeft'>

/**
 * Reports when the client's connection closes. A connection has at most one listener, however many
 * callers wait. Each request withdraws its call when it is answered; without calls the listener is
 * removed.
 */
export function disconnectSignalOf(socket: Socket): DisconnectSignal {
  const calls = new Set<() => void>()
  const leave = () => {
    for (const call of calls) call()
  }
  return {
    left: () => socket.destroyed,
    onLeft(call) {
      if (socket.destroyed) call()
      else if (calls.add(call).size === 1) socket.once('close', leave)
      return () => {
        if (calls.delete(call) && calls.size === 0) socket.off('close', leave)
      }
    },
  }
}

/** Without a port, a zone or brackets: `1.2.3.4`, `::1`. */
function isPlainAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%')
}

/**
 * Each hop reports the address before it, the nearest last. The chain ends at the first hop that is
 * not trusted, or whose report is not an address. Invented entries beyond it are ignored.
 */
function addressOf(own: string, reported: readonly string[], trusts: TrustsProxy): string {
  let address = own
  for (const [hop, one] of reported.toReversed().entries()) {
    if (!trusts(address, hop) || !isPlainAddress(one)) break
    address = one
  }
  return address
}

function protocolOf({ 'x-forwarded-proto': sent }: IncomingHttpHeaders): string | undefined {
  const said = partsOf(sent?.toString()).at(-1)?.toLowerCase()
  return said === 'http' || said === 'https' ? said : undefined
}

const placeLengthMax = 100

type ClientInfoOptions = Pick<Config, 'placeHeader'> & { readonly trusts: TrustsProxy | undefined }

/**
 * Reads the client of a request. `placeHeader`: the lower-case name of the header in which a proxy
 * reports the client's location.
 */
export function makeClientInfoOf({
  trusts,
  placeHeader,
}: ClientInfoOptions): (raw: IncomingMessage, connection: Pick<HttpConnection, 'client'>) => HttpClientInfo {
  if (!trusts) return (_, { client }) => client
  return ({ headers }, { client: { address: own, protocol } }) => {
    if (!trusts(own, 0)) return { address: own, protocol }
    const reported = partsOf(headers['x-forwarded-for']?.toString())
    const said = placeHeader === undefined || reported.length === 0 ? '' : String(headers[placeHeader] ?? '').trim()
    return {
      address: addressOf(own, reported, trusts),
      protocol: protocolOf(headers) ?? protocol,
      ...(said !== '' && { place: said.slice(0, placeLengthMax) }),
    }
  }
}
