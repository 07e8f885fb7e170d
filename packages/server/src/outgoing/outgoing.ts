/**
 * The one place that sends HTTP requests to other services. `guarded` ones go to addresses that
 * records or handlers name, and `configured` ones to hosts that the operator has set.
 *
 * A guarded request reaches the public internet, and the hosts of OUTGOING_ALLOW. Both kinds bound
 * the size and the time of an answer and the redirects on the way, and count their requests.
 * Behind a proxy the proxy resolves names, so only hosts that are addresses are checked.
 */
import { isIP } from 'node:net'
import { counter, type MetricFamily } from '../observe/metric-family.ts'
import { type Agents, type AgentsByBound, makeAgents, type ProxyVariables } from './agents.ts'
import { boundResponse } from './bounded-response.ts'
import { OutgoingRefused } from './outgoing-refused.ts'
import { type OutgoingRequest, redirected, requestOf } from './outgoing-request.ts'
import { makeReachableHosts, type ReachableHosts } from './reachable-hosts.ts'
import {
  type HostCheck,
  makeHostCheck,
  plainHost,
  type ResolveAll,
  resolveBySystem,
  sharingAnswers,
} from './resolve-host.ts'
import { sendOnce } from './send-once.ts'

/** The same arguments and answers as the standard's `fetch`. */
export type OutgoingFetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

export type OutgoingBounds = {
  /** Of an answer, without its headers and after its decompression. */
  readonly bytesMax: number
  /** From the request to the last byte of the answer. */
  readonly msMax: number
  readonly redirectsMax: number
  /**
   * More requests to one host wait for a connection. Purposes share these connections, but one that
   * says another number has its own.
   */
  readonly connectionsPerHost: number
}

export type Outgoing = {
  /** `purpose`: for metrics, such as `effects`. */
  guarded(purpose: string, bounds?: Partial<OutgoingBounds>): OutgoingFetch
  configured(purpose: string, bounds?: Partial<OutgoingBounds>): OutgoingFetch
  families(): readonly MetricFamily[]
  close(): void
}

/** Told of each request that was answered or failed; times of `performance.now()`. */
export type OutgoingListener = (sent: {
  readonly method: string
  readonly host: string
  /** Undefined without an answer. */
  readonly status: number | undefined
  readonly beganMs: number
  readonly endedMs: number
}) => void

/**
 * Answers a request in place of the network, or returns undefined to send it. `isAllowed`: the
 * operator has named its host, in OUTGOING_ALLOW or as a host of the server's own.
 */
export type OutgoingTwin = (
  request: OutgoingRequest,
  about: { readonly purpose: string; readonly isAllowed: boolean },
) => Promise<Response | undefined>

type OutgoingDeps = {
  /** OUTGOING_ALLOW */
  readonly allow: readonly string[]
  readonly proxy: ProxyVariables
  readonly ended?: OutgoingListener | undefined
  readonly resolve?: ResolveAll
  readonly twin?: OutgoingTwin | undefined
}

export const outgoingDefaults: OutgoingBounds = {
  bytesMax: 10_000_000,
  msMax: 30_000,
  redirectsMax: 5,
  connectionsPerHost: 50,
}

const noCheck = (resolve: ResolveAll): HostCheck => {
  const everything = makeReachableHosts(['0.0.0.0/0', '::/0'])
  return makeHostCheck(everything, resolve)
}

/** A proxy is set by the operator: its own name is resolved without a check. */
function proxyHostsOf(proxy: ProxyVariables): ReadonlySet<string> {
  const addresses = [proxy.HTTP_PROXY, proxy.HTTPS_PROXY].filter((one) => one !== undefined && one !== '')
  return new Set(addresses.map((one) => plainHost(new URL(one as string).hostname)))
}

type GuardDeps = Pick<OutgoingDeps, 'proxy'> & { readonly resolve: ResolveAll }

function guardOf(reachable: ReachableHosts, { proxy, resolve }: GuardDeps): HostCheck {
  const guard = makeHostCheck(reachable, resolve)
  const open = noCheck(resolve)
  const proxies = proxyHostsOf(proxy)
  return {
    check(hostname) {
      if (proxies.has(plainHost(hostname))) throw OutgoingRefused.ofHost(plainHost(hostname))
      guard.check(hostname)
    },
    lookup: (hostname, options, done) =>
      (proxies.has(plainHost(hostname)) ? open : guard).lookup(hostname, options, done),
  }
}

function isNamed({ hasName, hasAddress }: ReachableHosts, hostname: string): boolean {
  const host = plainHost(hostname)
  return hasName(host) || (isIP(host) !== 0 && hasAddress(host))
}

function checkScheme({ protocol }: URL): void {
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new OutgoingRefused('scheme', `An outgoing request has an https: or http: address, not ${protocol}`)
}

type Sender = {
  readonly agents: AgentsByBound
  readonly check: HostCheck['check']
  /** Whether the operator has named this host. */
  isAllowed(hostname: string): boolean
}
type Sending = Omit<Sender, 'agents'> &
  Pick<OutgoingDeps, 'twin'> & { readonly agents: Agents; readonly purpose: string; readonly redirectsMax: number }

/** Follows redirects. Each address on the way is checked. */
async function send(sending: Sending, first: OutgoingRequest): Promise<Response> {
  const { agents, check, twin, purpose, redirectsMax, isAllowed } = sending
  let sent = first
  for (let redirects = 0; ; redirects += 1) {
    checkScheme(sent.url)
    check(sent.url.hostname)
    const answer =
      (await twin?.(sent, { purpose, isAllowed: isAllowed(sent.url.hostname) })) ?? (await sendOnce(agents, sent))
    // An address that cannot be read matters only where it is followed.
    const next = redirectsMax === 0 ? undefined : redirected(sent, answer)
    if (!next) return answer
    await answer.body?.cancel()
    if (redirects === redirectsMax)
      throw new OutgoingRefused('redirects', `${first.url.host} redirects more than ${redirectsMax} times`)
    if (next.body instanceof ReadableStream)
      throw new OutgoingRefused('redirects', `${first.url.host} redirects a request whose body is a stream`)
    sent = next
  }
}

/** The end of a request, in the word of metrics. */
function outcomeOf(error: unknown): string {
  return error instanceof OutgoingRefused ? `refused-${error.reason}` : 'failed'
}

export function makeOutgoing(deps: OutgoingDeps): Outgoing {
  const { proxy, ended, twin } = deps
  const resolve = sharingAnswers(deps.resolve ?? resolveBySystem)
  const open = noCheck(resolve)
  const reachable = makeReachableHosts(deps.allow)
  const guard = guardOf(reachable, { proxy, resolve })
  const senders: Record<'guarded' | 'configured', Sender> = {
    guarded: {
      agents: makeAgents(proxy, guard.lookup),
      check: guard.check,
      isAllowed: (host) => isNamed(reachable, host),
    },
    configured: { agents: makeAgents(proxy, open.lookup), check: () => undefined, isAllowed: () => true },
  }
  const counts = new Map<string, { purpose: string; outcome: string; value: number }>()

  function count(purpose: string, outcome: string): void {
    const key = `${purpose} ${outcome}`
    const found = counts.get(key)
    if (found) found.value += 1
    else counts.set(key, { purpose, outcome, value: 1 })
  }

  const makeFetch =
    (sender: Sender, purpose: string, given: Partial<OutgoingBounds> = {}): OutgoingFetch =>
    async (url, init) => {
      const { bytesMax, msMax, redirectsMax, connectionsPerHost } = { ...outgoingDefaults, ...given }
      const beganMs = performance.now()
      const late = AbortSignal.timeout(msMax)
      const sent = await requestOf(url, init)
      const { host } = sent.url
      const explain = (error: unknown) =>
        late.aborted && !sent.signal.aborted
          ? new OutgoingRefused('time', `${host} did not answer within ${msMax / 1000} s`)
          : error
      const tell = (status: number | undefined) =>
        ended?.({ method: sent.method, host, status, beganMs, endedMs: performance.now() })
      try {
        const most = sent.redirect === 'follow' ? redirectsMax : 0
        const agents = sender.agents.of(connectionsPerHost)
        const sending = { ...sender, agents, twin, purpose, redirectsMax: most }
        const answer = await send(sending, { ...sent, signal: AbortSignal.any([sent.signal, late]) })
        if (sent.redirect === 'error' && redirected(sent, answer)) throw new TypeError(`${host} redirects`)
        count(purpose, `${Math.floor(answer.status / 100)}xx`)
        tell(answer.status)
        return boundResponse(answer, { host, bytesMax, explain })
      } catch (error) {
        const explained = explain(error)
        count(purpose, outcomeOf(explained))
        tell(undefined)
        throw explained
      }
    }

  return {
    guarded: (purpose, bounds) => makeFetch(senders.guarded, purpose, bounds),
    configured: (purpose, bounds) => makeFetch(senders.configured, purpose, bounds),
    families: () =>
      counts.size === 0
        ? []
        : [
            counter(
              'bindery_outgoing_requests_total',
              'Requests that this server sent to others, by purpose and outcome.',
              [...counts.values()].map(({ purpose, outcome, value }) => ({ labels: { purpose, outcome }, value })),
            ),
          ],
    close() {
      for (const { agents } of Object.values(senders)) agents.close()
    },
  }
}
