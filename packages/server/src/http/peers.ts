/** Whose connection it is, for what one address may hold. Knows addresses, and nothing of requests. */
import { BlockList, isIPv4 } from 'node:net'
import type { Config } from '../config.ts'
import { countedAddress } from '../identity/counted-address.ts'

const namedNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

function networksOf(trusted: string): BlockList {
  const list = new BlockList()
  const networks = trusted.split(',').flatMap((part) => namedNetworks[part.trim()] ?? [part.trim()])
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    list.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  return list
}

/** An address → the name under which its connections are counted; undefined for a trusted proxy, which speaks for many. */
export function makePeers(trust: Config['trustProxy']): (address: string | undefined) => string | undefined {
  if (trust === true || (typeof trust === 'number' && trust > 0)) return () => undefined
  const trusted = typeof trust === 'string' ? networksOf(trust) : undefined
  return (address = '') => {
    if (trusted && address !== '' && trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')) return undefined
    return countedAddress(address)
  }
}
