/**
 * Hosts that outgoing requests may reach although they are not of the public internet
 * (OUTGOING_ALLOW): names, addresses and ranges of addresses.
 */
import { BlockList, isIP } from 'node:net'
import { addRange, isIn } from './special-addresses.ts'

export type ReachableHosts = {
  /** `name`: in small letters, without the dot of the root. `*.internal.example` is a name too. */
  hasName(name: string): boolean
  hasAddress(address: string): boolean
}

export function makeReachableHosts(entries: readonly string[]): ReachableHosts {
  const list = new BlockList()
  const names = new Set<string>()
  const endings: string[] = []
  for (const entry of entries) {
    if (isIP(entry.split('/')[0] as string) !== 0) addRange(list, entry)
    else if (entry.startsWith('*.')) endings.push(entry.slice(1))
    else names.add(entry)
  }
  return {
    hasName: (name) => names.has(name) || endings.some((ending) => name.endsWith(ending)),
    hasAddress: (address) => isIn(list, address),
  }
}
