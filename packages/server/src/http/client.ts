/** Who is at the other end of a request. Trusted proxies report it in headers, of which only valid values are accepted. */
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

export type Client = {
  /** An IP address. Empty when the connection ended before its address was read. */
  readonly address: string
  readonly protocol: string
  /** Where the address is, as a trusted proxy says. */
  readonly place?: string | undefined
}

/** Without a port, a zone or brackets: `1.2.3.4`, `::1`. */
function isPlainAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%')
}

/**
 * `ips` is there only if a proxy is trusted: the connection's own address, then what each trusted hop reported about the hop before it.
 * The chain ends at the first value that is not an address, so nothing invented beyond it is believed.
 */
function addressOf({ ips, ip }: FastifyRequest): string {
  const [own = '', ...said] = ips ?? [ip]
  const end = said.findIndex((one) => !isPlainAddress(one))
  return (end === -1 ? said : said.slice(0, end)).at(-1) ?? own
}

function protocolOf({ protocol, socket }: FastifyRequest): string {
  const said = protocol?.toLowerCase()
  if (said === 'http' || said === 'https') return said
  return 'encrypted' in socket && socket.encrypted ? 'https' : 'http'
}

const placeLengthMax = 100

/** Fastify has `ips` with more than the connection's own only where that one is a trusted proxy. */
function placeOf({ ips, headers }: FastifyRequest, header: string): string | undefined {
  if (!ips || ips.length < 2) return undefined
  const said = String(headers[header] ?? '').trim()
  return said === '' ? undefined : said.slice(0, placeLengthMax)
}

/** `placeHeader`: the name of the header in which a proxy says where the address is, in lower case. */
export function clientOf(request: FastifyRequest, placeHeader?: string): Client {
  const place = placeHeader === undefined ? undefined : placeOf(request, placeHeader)
  return { address: addressOf(request), protocol: protocolOf(request), ...(place !== undefined && { place }) }
}
