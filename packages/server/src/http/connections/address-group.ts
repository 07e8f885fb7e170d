/** Whose connection it is, for what one address may hold. */
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
