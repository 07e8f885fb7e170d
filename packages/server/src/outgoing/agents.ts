/**
 * Connections of outgoing requests, kept open for a while. Node's agents send requests through a
 * proxy where the environment names one (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).
 */
import { Agent as PlainAgent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'

/** The variables that Node's agents read, in capitals. */
export type ProxyVariables = Readonly<Partial<Record<'HTTP_PROXY' | 'HTTPS_PROXY' | 'NO_PROXY', string>>>

export type Agents = {
  readonly plain: PlainAgent
  readonly tls: TlsAgent
  /** Resolves the names of hosts, and refuses those that are not allowed. */
  readonly lookup: LookupFunction
  close(): void
}

const connectionsPerHost = 50
const idleMs = 10_000

export function makeAgents(proxy: ProxyVariables, lookup: LookupFunction): Agents {
  const options = {
    keepAlive: true,
    maxSockets: connectionsPerHost,
    timeout: idleMs,
    proxyEnv: { ...proxy },
    lookup,
  }
  const plain = new PlainAgent(options)
  const tls = new TlsAgent(options)
  return {
    plain,
    tls,
    lookup,
    close() {
      plain.destroy()
      tls.destroy()
    },
  }
}
