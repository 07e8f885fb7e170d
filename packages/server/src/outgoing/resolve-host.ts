/**
 * The addresses to which a request may connect. A name is resolved once: the connection goes to an
 * address that was checked, so an answer that changes between two questions does not matter.
 */
import { AsyncResource } from 'node:async_hooks'
import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { OutgoingRefused } from './outgoing-refused.ts'
import type { ReachableHosts } from './reachable-hosts.ts'
import { isSpecial } from './special-addresses.ts'

export type ResolveAll = (
  name: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void

/** The system's own resolver, with its file of hosts. */
export const resolveBySystem: ResolveAll = (name, done) => lookup(name, { all: true, verbatim: true }, done)

/**
 * Requests to a name that is being resolved wait for that answer. The system resolves two names at
 * a time (libuv), and a name that hangs takes one of these turns only.
 */
export function sharingAnswers(resolve: ResolveAll): ResolveAll {
  const waiting = new Map<string, Parameters<ResolveAll>[1][]>()
  return (name, done) => {
    const others = waiting.get(name)
    if (others) return void others.push(AsyncResource.bind(done))
    const all = [done]
    waiting.set(name, all)
    resolve(name, (error, addresses) => {
      waiting.delete(name)
      for (const one of all) one(error, addresses)
    })
  }
}

export type HostCheck = {
  /** Refuses a host that is an address. Names are checked when they are resolved. */
  check(hostname: string): void
  readonly lookup: LookupFunction
}

/** `[::1]` → `::1`; `Api.Example.` → `api.example` */
export function plainHost(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
}

/** The first address, or all, as `net.connect` asks for them. */
function chosen(host: string, addresses: readonly LookupAddress[], family: unknown): readonly LookupAddress[] {
  const found = family === 4 || family === 6 ? addresses.filter((one) => one.family === family) : addresses
  if (found.length === 0) throw Object.assign(new Error(`no address of ${host}`), { code: 'ENOTFOUND' })
  return found
}

export function makeHostCheck(allowed: ReachableHosts, resolve: ResolveAll): HostCheck {
  const checkAddress = (address: string, host: string) => {
    if (isSpecial(address) && !allowed.hasAddress(address)) throw OutgoingRefused.ofHost(host)
  }
  /** One forbidden address among others is a trap, so the whole name is refused. */
  const checkAll = (host: string, addresses: readonly LookupAddress[]) => {
    if (!allowed.hasName(host)) for (const { address } of addresses) checkAddress(address, host)
  }
  return {
    check(hostname) {
      const host = plainHost(hostname)
      if (isIP(host) !== 0 && !allowed.hasName(host)) checkAddress(host, host)
    },
    lookup(hostname, { all, family }, done) {
      const host = plainHost(hostname)
      resolve(hostname, (error, addresses) => {
        if (error) return done(error, '', 0)
        let found: readonly LookupAddress[]
        try {
          checkAll(host, addresses)
          found = chosen(host, addresses, family)
        } catch (refused) {
          return done(refused as Error, '', 0)
        }
        const [first] = found as [LookupAddress]
        if (all) done(null, [...found])
        else done(null, first.address, first.family)
      })
    },
  }
}
