/**
 * Decides by the setting `trustProxy` (all, a number of hops, or networks) whether an address is a
 * trusted proxy.
 */
import { BlockList, isIPv4 } from 'node:net'
import { partsOf } from '../base/environment.ts'
import type { Config } from '../config.ts'

const namedNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

function networksOf(trusted: string): BlockList {
  const list = new BlockList()
  const networks = partsOf(trusted).flatMap((part) => namedNetworks[part] ?? [part])
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    list.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  return list
}

/**
 * Whether an address is trusted to report the one before it. `hop`: the number of proxies between
 * it and this server.
 */
export type TrustsProxy = (address: string, hop: number) => boolean

/** Undefined where no proxy is trusted. */
export function makeTrustsProxy(trust: Config['trustProxy']): TrustsProxy | undefined {
  if (trust === true) return () => true
  if (typeof trust === 'number') return trust > 0 ? (_, hop) => hop < trust : undefined
  if (typeof trust !== 'string') return undefined
  const networks = networksOf(trust)
  return (address) => address !== '' && networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}
