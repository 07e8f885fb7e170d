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
}

export type AgentsByBound = {
  /** More requests to one host than this wait for a connection. */
  of(connectionsPerHost: number): Agents
  close(): void
}

const idleMs = 10_000

export function makeAgents(proxy: ProxyVariables, lookup: LookupFunction): AgentsByBound {
  const made = new Map<number, Agents>()
  return {
    of(connectionsPerHost) {
      const known = made.get(connectionsPerHost)
      if (known) return known
      const options = {
        keepAlive: true,
        maxSockets: connectionsPerHost,
        timeout: idleMs,
        proxyEnv: { ...proxy },
        lookup,
      }
      const agents = { plain: new PlainAgent(options), tls: new TlsAgent(options), lookup }
      made.set(connectionsPerHost, agents)
      return agents
    },
    close() {
      for (const { plain, tls } of made.values()) {
        plain.destroy()
        tls.destroy()
      }
    },
  }
}
