/** Identifies callers by their API key, which may be bound to addresses. */
import type { Clock } from '../../base/clock.ts'
import { badKey } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { UserPrincipal } from '../../resource/principal.ts'
import type { ReadStorage } from '../../storage/storage.ts'
import type { CredentialCache } from '../credential-cache.ts'
import { findActing, type IdentityTables } from '../identity-tables.ts'
import type { RecordLastUse } from '../sessions/last-use.ts'
import { hashToken, isKey } from '../tokens/token.ts'
import { makeIsInNetworks } from './key-addresses.ts'
import { keyTenancyOf, tenantOfKey } from './key-tenant.ts'

/**
 * Throws `unauthenticated` (`Invalid API key`). `address`: where the request comes from, or empty.
 */
export type IdentifyByKey = (key: string, address: string) => Promise<UserPrincipal>

type IdentifyByKeyDeps = Pick<IdentityTables, 'login'> & {
  readonly catalog: Catalog
  readonly apiKey: NonNullable<IdentityTables['apiKey']>
  readonly storage: Pick<ReadStorage, 'find'>
  readonly clock: Clock
  readonly memory: CredentialCache
  readonly noteUse: RecordLastUse
}

export function makeIdentifyByKey({
  catalog,
  storage,
  clock,
  apiKey,
  login,
  memory,
  noteUse,
}: IdentifyByKeyDeps): IdentifyByKey {
  const { mark, resource } = apiKey
  const isAmong = makeIsInNetworks()
  const tenancy = keyTenancyOf(catalog)

  async function read(hash: string) {
    const row = (await storage.find(resource, equal(mark.token, hash)))?.row
    const expiresMs = row?.[mark.expiresAt] ? Date.parse(row[mark.expiresAt] as string) : Number.POSITIVE_INFINITY
    if (row?.[mark.active] !== true || expiresMs <= clock()) throw badKey('invalid')
    const owner = await findActing(storage, login, row[mark.owner] as Scalar)
    if (!owner) throw badKey('invalid')
    const tenant = tenantOfKey(tenancy, row)
    const principal: UserPrincipal = {
      kind: 'user',
      ...owner.user,
      via: 'key',
      keyId: row[resource.idField] as string,
      keyExpiresAt: row[mark.expiresAt] as string | null,
      keyAddresses: mark.addresses === undefined ? null : (row[mark.addresses] as readonly string[] | null),
      scopes: row[mark.scopes] as readonly string[] | null,
      ...(tenant && { tenant }),
    }
    const restsOn = [
      { resource, row },
      { resource: login.resource, row: owner.row },
    ]
    return { principal, expiresMs, restsOn }
  }

  return async (key, address) => {
    if (!isKey(key)) throw badKey('invalid')
    const hash = hashToken(key)
    const principal = await memory.remember(`key ${hash}`, () => read(hash))
    const { keyId, keyAddresses } = principal
    if (keyAddresses && !isAmong(address, keyAddresses)) throw badKey('invalid')
    const from = mark.lastUsedFrom === undefined ? {} : { [mark.lastUsedFrom]: address || null }
    if (keyId !== undefined)
      await noteUse({ resource, id: keyId, changes: (now) => ({ [mark.lastUsedAt]: now, ...from }) })
    return principal
  }
}
