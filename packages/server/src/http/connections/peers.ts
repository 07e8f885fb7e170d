/** Whose connection it is, for what one address may hold. */
import { countedAddress } from '../../base/counted-address.ts'
import type { Trusts } from '../proxies.ts'

/** An address → the name under which its connections are counted; undefined for a trusted proxy, which speaks for many. */
export function makePeers(trusts: Trusts | undefined): (address: string | undefined) => string | undefined {
  return (address = '') => (trusts?.(address, 0) ? undefined : countedAddress(address))
}
