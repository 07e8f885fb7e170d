/**
 * Parses the environment variables of network access: hosts, proxies, CORS and rate limits. An
 * invalid one becomes one clear line.
 */
import { isIP, isIPv6 } from 'node:net'
import { type Environment, fail, parseSpan, partsOf, type Variable } from '../base/environment.ts'
import { isLoopbackName } from '../base/host-name.ts'

export type RateLimit = { readonly points: number; readonly windowSeconds: number }

/** The host names that the server answers; `loopback` adds those of this machine. */
export type AllowedHosts = { readonly names: readonly string[]; readonly loopback: boolean }

/** The classes of requests for rate limits: log-ins and related ones, GraphQL, reads and writes. */
export const rateClasses = ['auth', 'graphql', 'read', 'write'] as const
export type RateClass = (typeof rateClasses)[number]
/** `all`: for classes without a limit of their own. */
export type RateLimits = Partial<Readonly<Record<RateClass | 'all', RateLimit>>>
/** Whether proxies are trusted: all, a number of hops, or given addresses. */
export type TrustProxy = boolean | number | string

export const networkVariables: readonly Variable[] = [
  {
    name: 'HOSTS',
    takes: 'names, with commas, or `*`',
    value: 'loopback names',
    about:
      'names that a Host header may have, with commas; * for any, the default beyond the loopback or behind a proxy',
    more: 'See [Set host names](../how-to/operate-host-names.md).',
  },
  {
    name: 'TRUST_PROXY',
    takes: '`true`, `false`, a number of hops, or addresses, with commas',
    value: 'false',
    about: 'true, a number of hops, or addresses whose X-Forwarded-For counts',
    more: 'Addresses: `10.0.0.0/8`, `loopback`, `linklocal`, `uniquelocal`. See [Put a proxy in front](../how-to/operate-proxy.md).',
  },
  {
    name: 'PROXY_PLACE_HEADER',
    takes: 'name of a header',
    value: '',
    about: 'header of a trusted proxy that says where an address is, for example CF-IPCountry; shown with sessions',
    more: 'Needs `TRUST_PROXY`.',
  },
  {
    name: 'CORS_ORIGINS',
    takes: 'origins, with commas',
    value: '',
    about: 'origins of browsers that may call, separated by commas',
    more: 'For example `https://app.example`.',
  },
  {
    name: 'COOKIE_SECURE',
    takes: '`true` or `false`',
    value: 'true',
    about: 'false sends the refresh cookie over plain HTTP too',
  },
]

export const signUpLimitOtherwise = '30/15m'

export const rateVariables: readonly Variable[] = [
  {
    name: 'RATE_LIMIT',
    takes: '`COUNT/TIME` in `s`, `m` or `h`, alone or by class, with commas',
    value: '',
    about: 'requests a client, for example 600/1m,auth=60/1m; off unless set',
    more: 'Classes are `auth`, `graphql`, `read` and `write`. See [Limit clients](../how-to/operate-rate-limits.md).',
  },
  {
    name: 'SIGN_UP_LIMIT',
    takes: '`COUNT/TIME` in `s`, `m` or `h`, or `off`',
    value: signUpLimitOtherwise,
    about: 'sign-ups from one address, or off; users that an operator makes are not counted',
  },
  {
    name: 'CONNECTIONS_PER_ADDRESS',
    takes: 'whole number, 1 to 10000',
    value: '4000',
    about: 'connections that one address may have; trusted proxies as many as they like',
    more: 'Counted in one process; an IPv6 network of 64 bits counts as one address.',
  },
]

/** `600/1m` → 600 points in 60 seconds. */
export function parseRateLimit(text: string | undefined, name: string): RateLimit | undefined {
  if (text === undefined || text === '') return undefined
  const match = /^(\d{1,9})\/(\d{0,6}[smh])$/.exec(text)
  const points = Number(match?.[1])
  const seconds = (parseSpan(match?.[2] ?? '', /^(\d*)([smh])$/) ?? 0) / 1000
  if (!match || points < 1 || seconds < 1) fail(name, `must look like 600/1m (s, m or h), not ${text}`)
  return { points, windowSeconds: seconds }
}

/**
 * `600/1m,auth=60/1m` → a limit for log-ins, and one for everything else. Undefined where there is
 * none.
 */
export function parseRateLimits(text: string | undefined): RateLimits | undefined {
  const found: { [K in RateClass | 'all']?: RateLimit } = {}
  for (const part of partsOf(text)) {
    const [limit = '', word = 'all'] = part.split('=').reverse()
    const name = [...rateClasses, 'all' as const].find((one) => one === word)
    if (!name || (word === 'all' && part.includes('=')))
      fail('RATE_LIMIT', `has ${part}; a limit stands alone or behind one of ${rateClasses.join(', ')}: auth=60/1m`)
    const parsed = parseRateLimit(limit, 'RATE_LIMIT')
    if (!parsed) fail('RATE_LIMIT', `has no limit for ${name}`)
    if (found[name]) fail('RATE_LIMIT', `has two limits for ${name === 'all' ? 'everything' : name}`)
    found[name] = parsed
  }
  return Object.keys(found).length === 0 ? undefined : found
}

/** `10.0.0.1`, `10.0.0.0/8`, `fd00::/8` */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

export function parseTrustProxy(text: string | undefined): TrustProxy {
  if (text === undefined || text === '' || text === 'false') return false
  if (text === 'true') return true
  if (/^\d+$/.test(text)) return Number(text)
  for (const part of text.split(',')) {
    const name = part.trim()
    if (!isNetwork(name) && !['loopback', 'linklocal', 'uniquelocal'].includes(name)) {
      fail('TRUST_PROXY', `must be true, false, a number, or addresses such as 10.0.0.0/8; ${name} is none`)
    }
  }
  return text
}

/** The form in a URL: `::1` → `[::1]`. */
export function hostInUrl(host: string): string {
  return isIPv6(host) ? `[${host.toLowerCase()}]` : host.toLowerCase()
}

/** Off by default where a proxy or a network knows this server by names that are not configured. */
export function parseHosts({ HOSTS: text, HOST: host }: Environment, trustProxy: TrustProxy): AllowedHosts | undefined {
  const names = partsOf(text).map(hostInUrl)
  if (names.length === 0) {
    const isLocal = isOwnMachine(host || '127.0.0.1')
    return isLocal && !trustProxy ? { names, loopback: true } : undefined
  }
  if (names.length === 1 && names[0] === '*') return undefined
  for (const name of names) {
    if (!/^[a-z0-9._-]+$/.test(name) && !/^\[[0-9a-f:.]+\]$/.test(name))
      fail('HOSTS', `must be names such as api.example, without scheme and port, or * alone; ${name} is none`)
  }
  return { names, loopback: false }
}

export function parseOrigins(text: string | undefined): string[] {
  const origins = partsOf(text)
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      fail('CORS_ORIGINS', `must be origins such as https://app.example; ${origin} is none`)
  }
  return origins
}

/** Whether only this machine can reach the listening address. */
export function isOwnMachine(host: string): boolean {
  return isLoopbackName(hostInUrl(host))
}

/** Whether a connection comes from this machine. `address`: its other end, `::ffff:127.0.0.1`. */
export function isOwnAddress(address: string): boolean {
  return isOwnMachine(address.replace(/^::ffff:/, ''))
}

/** A header that any client could send is never trusted. */
export function parsePlaceHeader(text: string | undefined, trustProxy: TrustProxy): string | undefined {
  if (!text) return undefined
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(text)) fail('PROXY_PLACE_HEADER', `must be the name of a header, not ${text}`)
  if (!trustProxy) fail('PROXY_PLACE_HEADER', 'needs TRUST_PROXY: only a trusted proxy can say where an address is')
  return text.toLowerCase()
}
