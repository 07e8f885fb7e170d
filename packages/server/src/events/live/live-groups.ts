/**
 * Subscriptions in groups: those that see the same records and fields share one verdict and one
 * printed event. An index by resource, and by one value that a field must have, finds the groups
 * that a change may concern.
 */
import { hash } from 'node:crypto'
import { foldName } from '../../base/fold.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Condition, Scalar } from '../../resource/condition.ts'
import { makeMatcher, type RowMatch } from '../../storage/derived/match.ts'
import { type Followed, lookedIntoBy, type SeenRecords, textOfSeen } from '../followed.ts'
import { type LogTransaction, movesOf, type RowMove } from '../log-transactions.ts'
import type { LiveReader } from './live-reader.ts'

export type Subscription = {
  readonly reader: LiveReader
  /** Undefined where the stream has one. */
  readonly name: string | undefined
  readonly followed: Followed
}

export type LiveGroup = {
  readonly resource: Resource
  readonly seen: SeenRecords
  readonly subscriptions: Set<Subscription>
}

export type LiveGroups = {
  add(subscription: Subscription, seen: SeenRecords): void
  remove(subscription: Subscription): void
  /** The groups that may have events of a transaction. */
  concerned(transaction: LogTransaction): Iterable<LiveGroup>
}

type IndexedGroup = LiveGroup & {
  readonly key: string
  /** The field and values under which the index has it. */
  readonly under: { readonly field: string; readonly values: readonly Scalar[] } | undefined
  /** The resources whose changes may move records in or out. */
  readonly looks: ReadonlySet<string>
  readonly match: RowMatch
}

type ResourceIndex = {
  /** Field → value → groups. Texts may be equal in another case, so all are folded. */
  readonly byField: Map<string, Map<string, Set<IndexedGroup>>>
  readonly others: Set<IndexedGroup>
}

/** Texts that are the same to any condition have one key. */
const keyOf = (value: unknown) => foldName(String(value))
/** A group with more values is found without the index. */
const valuesMax = 50

/** A field with the few values of which every record of the group has one. */
function underOf(where: Condition): IndexedGroup['under'] {
  const parts = where.kind === 'and' ? where.of : [where]
  const found = parts.flatMap((one) => {
    if (one.kind === 'compare' && one.operator === 'eq') return [{ field: one.field, values: [one.value] }]
    return one.kind === 'in' && one.values.length <= valuesMax ? [{ field: one.field, values: one.values }] : []
  })
  return found.toSorted((a, b) => a.values.length - b.values.length)[0]
}

function addTo<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const known = map.get(key) ?? new Set()
  map.set(key, known.add(value))
}

function dropFrom<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const known = map.get(key)
  known?.delete(value)
  if (known?.size === 0) map.delete(key)
}

function indexOf(indexes: Map<string, ResourceIndex>, { name }: Resource): ResourceIndex {
  const known = indexes.get(name) ?? { byField: new Map(), others: new Set() }
  indexes.set(name, known)
  return known
}

/** The groups of a resource whose condition may hold for a record before or after its move. */
function* maybeFor({ byField, others }: ResourceIndex, { before, after }: RowMove): Generator<IndexedGroup> {
  yield* others
  for (const [field, byValue] of byField) {
    const keys = new Set([before, after].flatMap((row) => (row ? [keyOf(row[field])] : [])))
    for (const key of keys) yield* byValue.get(key) ?? []
  }
}

/** Short: thousands of groups have one. */
const digestOf = (text: string) => hash('sha256', text, 'base64url')

export function makeLiveGroups(): LiveGroups {
  const matcher = makeMatcher()
  const groups = new Map<string, IndexedGroup>()
  const groupOf = new Map<Subscription, IndexedGroup>()
  const indexes = new Map<string, ResourceIndex>()
  /** Resource → groups that look into it. */
  const looking = new Map<string, Set<IndexedGroup>>()

  function file(group: IndexedGroup, put: typeof addTo): void {
    const { resource, under, looks } = group
    const { byField, others } = indexOf(indexes, resource)
    for (const name of looks) put(looking, name, group)
    if (!under) return void (put === addTo ? others.add(group) : others.delete(group))
    const byValue = byField.get(under.field) ?? new Map<string, Set<IndexedGroup>>()
    byField.set(under.field, byValue)
    for (const value of under.values) put(byValue, keyOf(value), group)
    if (byValue.size === 0) byField.delete(under.field)
  }
  function make(key: string, resource: Resource, seen: SeenRecords): IndexedGroup {
    const looks = lookedIntoBy(seen)
    const match = matcher.compile(resource, seen.where)
    return { key, resource, seen, subscriptions: new Set(), under: underOf(seen.where), looks, match }
  }
  return {
    add(subscription, seen) {
      const { resource } = subscription.followed
      const key = digestOf(`${resource.name} ${textOfSeen(seen)}`)
      const group = groups.get(key) ?? make(key, resource, seen)
      if (!groups.has(key)) file(group, addTo)
      groups.set(key, group)
      group.subscriptions.add(subscription)
      groupOf.set(subscription, group)
    },
    remove(subscription) {
      const group = groupOf.get(subscription)
      groupOf.delete(subscription)
      if (!group?.subscriptions.delete(subscription) || group.subscriptions.size > 0) return
      groups.delete(group.key)
      file(group, dropFrom)
    },
    concerned(transaction) {
      const found = new Set<IndexedGroup>()
      for (const name of transaction.moves.keys()) {
        for (const group of looking.get(name) ?? []) found.add(group)
        const index = indexes.get(name)
        if (index) addConcerned(found, index, movesOf(transaction, { name }))
      }
      return found
    },
  }
}

function addConcerned(found: Set<IndexedGroup>, index: ResourceIndex, moves: ReadonlyMap<string, RowMove>): void {
  for (const move of moves.values())
    for (const group of maybeFor(index, move)) if (!found.has(group) && holdsFor(group, move)) found.add(group)
}

/** Undecided counts as held. */
function holdsFor({ match }: IndexedGroup, { before, after }: RowMove): boolean {
  return (before !== null && match(before) !== false) || (after !== null && match(after) !== false)
}
