/**
 * The addresses that an API key is bound to: networks such as `203.0.113.0/24` and single
 * addresses, of IPv4 and IPv6.
 */

import { BlockList, isIP, isIPv4 } from 'node:net'
import { boundedCache } from '../../base/bounded-cache.ts'

const listsMax = 1_000

type Network = { readonly address: string; readonly bits: number; readonly family: 'ipv4' | 'ipv6' }

/** `10.0.0.1` → all 32 bits; undefined for what is no address or network. */
function networkOf(text: string): Network | undefined {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || more.length > 0) return undefined
  const most = version === 4 ? 32 : 128
  if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)) return undefined
  return { address, bits: bits === undefined ? most : Number(bits), family: version === 4 ? 'ipv4' : 'ipv6' }
}

/**
 * The mistake in a list of addresses, or nothing. `findAddressProblem(['10.0.0.0/33'])` → a
 * sentence
 */
export function findAddressProblem(texts: readonly string[]): string | undefined {
  if (texts.length === 0) return 'addresses must name at least one; leave it out for a key that works everywhere'
  const wrong = texts.find((text) => !networkOf(text))
  return wrong === undefined
    ? undefined
    : `addresses has ${wrong}, which is no address or network; use for example 203.0.113.0/24`
}

function listOf(texts: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const network = networkOf(text)
    if (network) list.addSubnet(network.address, network.bits, network.family)
  }
  return list
}

/** Whether every address of the one list is among those of the other; null means all addresses. */
export function isWithinAddresses(asked: readonly string[] | null, own: readonly string[] | null): boolean {
  if (own === null) return true
  return (
    asked?.every((text) => {
      const inner = networkOf(text)
      return own.some((one) => {
        const outer = networkOf(one)
        if (!inner || !outer || inner.family !== outer.family || inner.bits < outer.bits) return false
        return listOf([one]).check(inner.address, inner.family)
      })
    }) ?? false
  )
}

/**
 * Whether an address is in one of these networks. An IPv4 address mapped into IPv6 counts as the
 * IPv4 address.
 */
export type IsInNetworks = (address: string, networks: readonly string[]) => boolean

/** Lists are compiled once, and forgotten when there are too many. */
export function makeIsInNetworks(): IsInNetworks {
  const lists = boundedCache<string, BlockList>({ entriesMax: listsMax })
  return (address, networks) => {
    if (isIP(address) === 0) return false
    const key = networks.join()
    const list = lists.get(key) ?? listOf(networks)
    lists.set(key, list)
    return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  }
}
