/** Creates Node's server with its limits for incoming messages, and listens on the port. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerLimits } from '../../limits.ts'
import { hostInUrl } from '../../settings/network-settings.ts'
import { type AcceptQueue, acceptBeforeReading } from './accept-burst.ts'
import type { makeAddressGroupOf } from './address-group.ts'

export function makeHttpServer(
  limits: ServerLimits,
  peerOf?: ReturnType<typeof makeAddressGroupOf>,
): { readonly server: Server; readonly arrivals: AcceptQueue } {
  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: 0, // watchIdle closes idle connections
    connectionsCheckingInterval: limits.connectionsCheckMs,
    insecureHTTPParser: false,
    requireHostHeader: false, // checkMessage refuses it, in our own format
  })
  return { server, arrivals: acceptBeforeReading(server, limits, peerOf) }
}

/** The address at which this machine reaches a server that listens on all of its addresses. */
const reachable: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/**
 * Resolves with the address, `http://127.0.0.1:3000`. Throws the system's error where the port
 * cannot be had.
 */
export async function listenOn(
  server: Server,
  { port, host, limits }: { readonly port: number; readonly host: string; readonly limits: ServerLimits },
): Promise<string> {
  server.listen({ port, host, backlog: limits.connectionsWaitingMax })
  await once(server, 'listening')
  const own = server.address() as AddressInfo
  return `http://${hostInUrl(reachable[own.address] ?? own.address)}:${own.port}`
}
