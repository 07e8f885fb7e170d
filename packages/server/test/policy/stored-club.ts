/** Stores the club of random rules in a database: its people once, its records again and again. */
import { always } from '../../src/resource/condition.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { deleteWhere, tester } from '../storage/library.ts'
import { type Club, type ClubKind, clubCatalog, clubTime, people } from './club.ts'

export const kinds: readonly ClubKind[] = ['team', 'player']
export const resourceOf = (kind: ClubKind) => clubCatalog.get(kind)

export async function replaceClub(storage: Storage, club: Club): Promise<void> {
  await storage.transaction(tester, async (transaction) => {
    for (const kind of kinds.toReversed()) await deleteWhere(transaction, resourceOf(kind), always)
    for (const kind of kinds) await transaction.insertAll(resourceOf(kind), [...club[kind]])
  })
}

export async function addPeople(storage: Storage): Promise<void> {
  const member = clubCatalog.get('member')
  const make = (name: string) =>
    Object.fromEntries(
      member.storedNames.map((one): [string, unknown] => {
        const { type, nullable, values } = member.fields[one] as (typeof member.fields)[string]
        if (one === member.idField) return [one, name]
        if (values) return [one, values[0]]
        if (nullable) return [one, null]
        if (type.column === 'timestamp') return [one, clubTime]
        return [one, type.column === 'boolean' ? true : type.column === 'integer' ? 1 : `${name}@${one}.example`]
      }),
    )
  await storage.transaction(tester, async (transaction) => {
    await transaction.insertAll(member, people.map(make))
  })
}
