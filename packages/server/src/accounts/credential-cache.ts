/**
 * Caches the principal of each credential until a record that it depends on changes. It follows the
 * change log. Each entry names its records, so a write to one user's session keeps the entries of
 * others.
 */
import { boundedCache } from '../base/bounded-cache.ts'
import type { Clock } from '../base/clock.ts'
import { jsonText } from '../base/json-text.ts'
import type { Resource } from '../resource/catalog.ts'
import type { UserPrincipal } from '../resource/principal.ts'
import type { Change, Changes } from '../storage/changes.ts'
import type { Row } from '../storage/storage.ts'
import type { CallerTable, SharedTable } from './caller-source.ts'

const entriesMax = 20_000

/** A principal, and the records that it depends on. */
export type CachedPrincipal = {
  readonly principal: UserPrincipal
  readonly expiresMs: number
  readonly restsOn: readonly { readonly resource: Resource; readonly row: Row }[]
}
type CredentialCacheEntry = CachedPrincipal & { readonly records: readonly string[] }

export type CredentialCache = {
  /**
   * From memory while that is current, otherwise by `read`. Errors of `read` are not remembered.
   */
  remember(key: string, read: () => Promise<CachedPrincipal>): Promise<UserPrincipal>
  /**
   * Counts the changes that may change a principal. While it returns the same number, all
   * principals are as before. Undefined where other processes may have changed some.
   */
  version(): number | undefined
  /**
   * Whether the credential that gave this principal still gives it. False where that is not known.
   */
  holds(principal: UserPrincipal): boolean
}

type CredentialCacheDeps = {
  readonly changes: Changes
  readonly clock: Clock
  /**
   * The fields of each resource that a principal depends on. Writes to other fields change nothing
   * here.
   */
  readonly fields: ReadonlyMap<Resource, readonly string[]>
  /** Tables of which a principal depends on all records about its user. */
  readonly tables: readonly CallerTable[]
  /** Tables whose updates change the principals of several users. */
  readonly shared: readonly SharedTable[]
  /** Adds the facts that these tables give. */
  complete(known: CachedPrincipal): Promise<UserPrincipal>
}

type Dependents = Map<string, Set<string>>

const untieFrom =
  (dependents: Dependents) =>
  ({ records }: CredentialCacheEntry, key: string): void => {
    for (const record of records) {
      const keys = dependents.get(record)
      keys?.delete(key)
      if (keys?.size === 0) dependents.delete(record)
    }
  }

function watchTables({ changes, fields, tables, shared }: CredentialCacheDeps): void {
  for (const [resource, watched] of fields) changes.watch(resource, watched)
  for (const { resource, owner, fields: watched } of tables) changes.watch(resource, [owner, ...watched])
  for (const { resource, fields: watched } of shared) changes.watch(resource, watched)
}

export function makeCredentialCache(deps: CredentialCacheDeps): CredentialCache {
  const { changes, clock, fields, tables, shared, complete } = deps
  /** Record → the entries that depend on it. */
  const dependents: Dependents = new Map()
  const entries = boundedCache<string, CredentialCacheEntry>({ entriesMax, dispose: untieFrom(dependents) })
  const keys = new WeakMap<UserPrincipal, string>()
  const names = new Map([...fields.keys()].map((resource) => [resource.name, resource]))
  const byOwner = new Map(tables.map((table) => [table.resource.name, table]))
  /** Counts removals: a principal whose read began before one is not cached. */
  let forgotten = 0
  watchTables(deps)

  function keep(key: string, known: CachedPrincipal): void {
    const { userId } = known.principal
    const records = [
      ...known.restsOn.map(({ resource, row }) => recordKey(resource, row[resource.idField])),
      ...tables.map(({ resource }) => ownedKey(resource, userId)),
    ]
    entries.set(key, { ...known, records })
    keys.set(known.principal, key)
    for (const record of records) dependents.set(record, (dependents.get(record) ?? new Set()).add(key))
  }

  function forgetAll(): void {
    forgotten += 1
    entries.clear()
  }

  function forget(resource: Resource, { kind, records, detail }: Change): void {
    if (kind === 'unknown') forgetAll()
    if (kind === 'insert' || (kind === 'update' && detail && !differs(detail))) return
    forgotten += 1
    for (const { id } of records) drop(recordKey(resource, id))
  }

  function drop(record: string): void {
    for (const key of dependents.get(record) ?? []) entries.delete(key)
  }
  const currentOf = (key: string) => principalAt(entries.get(key), clock())

  /** A write to a record about one user or two: it may come to be about another one. */
  function forgetOwners({ resource, owner }: CallerTable, { detail }: Change): void {
    if (!detail) forgetAll()
    if (!detail || !differs(detail)) return
    forgotten += 1
    for (const side of [detail.before, detail.after])
      if ((side?.[owner] ?? null) !== null) drop(ownedKey(resource, side?.[owner]))
  }

  changes.follow({
    apply(batch) {
      for (const change of batch) {
        const resource = names.get(change.resource)
        if (resource) forget(resource, change)
        const table = byOwner.get(change.resource)
        if (table) forgetOwners(table, change)
        if (concernsMany(shared, change)) forgetAll()
      }
    },
    reset: forgetAll,
  })

  return {
    async remember(key, read) {
      if (!changes.isCurrent()) return complete(await read())
      const found = currentOf(key)
      if (found) return found
      const before = forgotten
      const known = await read()
      const principal = await complete(known)
      if (forgotten === before) keep(key, { ...known, principal })
      return principal
    },
    version: () => (changes.isCurrent() ? forgotten : undefined),
    holds: (principal) => changes.isCurrent() && currentOf(keys.get(principal) ?? '') === principal,
  }
}

function recordKey(resource: Resource, id: unknown): string {
  return `${resource.name} ${id}`
}

function principalAt(entry: CredentialCacheEntry | undefined, nowMs: number): UserPrincipal | undefined {
  return entry && entry.expiresMs > nowMs ? entry.principal : undefined
}

/** The records of a table that are about this user. */
function ownedKey(resource: Resource, userId: unknown): string {
  return `${resource.name} of ${userId}`
}

/** No principal rests on a new record. One that goes takes along what refers to it. */
function concernsMany(shared: readonly SharedTable[], { resource: name, kind, detail }: Change): boolean {
  if (kind === 'insert' || kind === 'delete' || !shared.some(({ resource }) => resource.name === name)) return false
  return !detail || differs(detail)
}

function differs({ before, after }: NonNullable<Change['detail']>): boolean {
  return jsonText(before) !== jsonText(after)
}
