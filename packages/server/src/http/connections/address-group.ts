/**
 * The key under which connections of one client are counted for limits: an IPv4 address, or an IPv6
 * network.
 */
import { countedAddress } from '../../base/counted-address.ts'
import type { TrustsProxy } from '../proxies.ts'

/**
 * An address → the name under which its connections are counted; undefined for a trusted proxy,
 * which speaks for many.
 */
export function makeAddressGroupOf(
  trusts: TrustsProxy | undefined,
): (address: string | undefined) => string | undefined {
  return (address = '') => (trusts?.(address, 0) ? undefined : countedAddress(address))
}
