/**
 * Addresses that are not of the public internet: private networks, this machine, link-local
 * addresses, multicast. Prefixes that carry another address inside are among them. Source: the
 * IANA registries of special-purpose addresses (RFC 6890).
 */
import { BlockList, isIPv6 } from 'node:net'

const ranges4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // shared by providers (RFC 6598); metadata of some clouds
  '127.0.0.0/8',
  '168.63.129.16/32', // metadata of Azure, although it is a public address
  '169.254.0.0/16', // link-local; metadata of clouds
  '172.16.0.0/12',
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
] as const

const ranges6 = [
  '::/96', // unspecified, loopback, and the former form with an IPv4 address inside
  '::ffff:0:0:0/96', // an IPv4 address inside (translated, RFC 2765)
  '64:ff9b::/96', // an IPv4 address inside (NAT64)
  '64:ff9b:1::/48',
  '100::/64', // discarded
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32',
  '2002::/16', // an IPv4 address inside (6to4)
  '3fff::/20',
  '5f00::/16',
  'fc00::/7', // unique local
  'fe80::/10', // link-local
  'fec0::/10', // site-local, of former times
  'ff00::/8', // multicast
] as const

/** `10.0.0.0/8` → added to the list. */
export function addRange(list: BlockList, range: string): void {
  const [address = '', bits] = range.split('/')
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
}

const special = new BlockList()
for (const range of [...ranges4, ...ranges6]) addRange(special, range)

/** `address`: one that `net.isIP` knows, without brackets and zone. */
export function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** Also for an IPv4 address that an IPv6 one maps: `::ffff:10.0.0.1`. */
export function isSpecial(address: string): boolean {
  return isIn(special, address)
}
