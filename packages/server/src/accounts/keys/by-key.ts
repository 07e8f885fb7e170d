/** Callers by their API key, which may be bound to addresses. */
import type { Clock } from '../../base/clock.ts'
import { badKey } from '../../errors.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { UserPrincipal } from '../../resource/principal.ts'
import type { StoredReads } from '../../storage/storage.ts'
import { findActing, type Marks } from '../marks.ts'
import type { Memory } from '../memory.ts'
import type { NoteUse } from '../sessions/note-use.ts'
import { hashToken, isKey } from '../tokens/token.ts'
import { makeIsAmong } from './key-addresses.ts'

/** Throws `unauthenticated` (`Invalid API key`). `address`: where the request comes from, or empty. */
export type ByKey = (key: string, address: string) => Promise<UserPrincipal>

type Parts = Pick<Marks, 'login'> & {
  readonly apiKey: NonNullable<Marks['apiKey']>
  readonly storage: Pick<StoredReads, 'find'>
  readonly clock: Clock
  readonly memory: Memory
  readonly noteUse: NoteUse
}

export function makeByKey({ storage, clock, apiKey, login, memory, noteUse }: Parts): ByKey {
  const { mark, resource } = apiKey
  const isAmong = makeIsAmong()

  async function read(hash: string) {
    const row = (await storage.find(resource, equal(mark.token, hash)))?.row
    const expiresMs = row?.[mark.expiresAt] ? Date.parse(row[mark.expiresAt] as string) : Number.POSITIVE_INFINITY
    if (row?.[mark.active] !== true || expiresMs <= clock()) throw badKey('invalid')
    const owner = await findActing(storage, login, row[mark.owner] as Scalar)
    if (!owner) throw badKey('invalid')
    const principal: UserPrincipal = {
      kind: 'user',
      ...owner.user,
      via: 'key',
      keyId: row[resource.idField] as string,
      keyExpiresAt: row[mark.expiresAt] as string | null,
      keyAddresses: mark.addresses === undefined ? null : (row[mark.addresses] as readonly string[] | null),
      scopes: row[mark.scopes] as readonly string[] | null,
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
