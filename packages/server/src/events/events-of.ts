/**
 * Decides what a reader sees of a transaction: the records that enter its list, change in it, leave
 * it, or are deleted. A record that the reader may see neither before nor after has no event.
 */

import { jsonText } from '../base/json-text.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, any, type Condition, never, not, type Scalar } from '../resource/condition.ts'
import type { Values } from '../storage/storage.ts'
import { hideFields } from '../value/hidden-fields.ts'
import { type Represented, representRecord } from '../value/represent.ts'
import { affectedBy, affectedMax } from './affected.ts'
import type { SeenRecords } from './followed.ts'
import { movesOf, type RowMove } from './log-transactions.ts'
import { candidatesAt, type MatchingParts } from './matching.ts'
import { lookedInto } from './verdicts.ts'
import type { Moment } from './world.ts'

/**
 * `leave`: the record still exists. It tells nothing of what it became. `version`: that of the
 * write; undefined where another record moved this one.
 */
type EventRecord = { readonly resource: Resource; readonly id: Scalar }
type ShownEvent = EventRecord & { readonly version: number | undefined; readonly record: Represented }
export type RecordEvent =
  | (ShownEvent & { readonly type: 'enter' })
  /** `before`: the former values of the fields that have changed. */
  | (ShownEvent & { readonly type: 'change'; readonly before: Represented })
  | (EventRecord & { readonly type: 'leave' })
  | (EventRecord & { readonly type: 'delete' })

/** The reader's sight before the transaction and behind it: one object where both are the same. */
export type SeenOver = { readonly resource: Resource; readonly was: SeenRecords; readonly is: SeenRecords }

function conditionsOf({ was, is }: SeenOver): ReadonlySet<Condition> {
  return new Set([was, is].flatMap(({ where, shown }) => [where, ...shown.values()]))
}

const differs = (one: Condition, other: Condition): Condition => any(all(one, not(other)), all(other, not(one)))

/** The records that memberships of the reader may have moved in or out, or show otherwise. */
async function crossing(parts: MatchingParts, { resource, was, is }: SeenOver, at: Moment): Promise<readonly Scalar[]> {
  if (was === is) return []
  const names = new Set([...was.shown.keys(), ...is.shown.keys()])
  const ofFields = [...names].map((name) => differs(was.shown.get(name) ?? never, is.shown.get(name) ?? never))
  const where = any(differs(was.where, is.where), all(is.where, any(...ofFields)))
  if (where.kind === 'false') return []
  return candidatesAt(parts, { resource, where, most: affectedMax }, at + 1)
}

/** Whether the transaction may have any event for such a reader, without a look at its records. */
function mayConcern({ world }: MatchingParts, over: SeenOver, at: Moment): boolean {
  const transaction = world.transactions[at]
  if (over.was !== over.is || transaction?.moves.has(over.resource.name)) return true
  for (const where of conditionsOf(over))
    for (const name of lookedInto(where)) if (transaction?.moves.has(name)) return true
  return false
}

type Side = { readonly row: Values; readonly seen: SeenRecords; readonly moment: Moment }

/** With its id, also where `changes` keeps other fields alone: readers fold records by it. */
export function represent({ verdicts }: MatchingParts, resource: Resource, { row, seen, moment }: Side): Represented {
  const { idField } = resource
  const names = [...seen.shown.keys()]
  const hidden = names.filter((name) => !verdicts.of(resource, seen.shown.get(name) ?? never)(row, moment))
  const told = names.includes(idField) ? names : [idField, ...names]
  return representRecord(resource, told, hidden.length === 0 ? row : hideFields(row, hidden))
}

function changed(before: Represented, after: Represented): Represented {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return Object.fromEntries(
    [...names]
      .filter((name) => jsonText(before[name]) !== jsonText(after[name]))
      .map((name) => [name, before[name] ?? null]),
  )
}

function eventOf(
  parts: MatchingParts,
  { resource, was, is }: SeenOver,
  { id, move, at }: { readonly id: Scalar; readonly move: RowMove | undefined; readonly at: Moment },
): RecordEvent | undefined {
  const { world, verdicts } = parts
  const state = move ?? { before: world.row(resource, id, at), after: world.row(resource, id, at + 1) }
  const side = (row: Values | null, seen: SeenRecords, moment: Moment): Side | undefined =>
    row && verdicts.of(resource, seen.where)(row, moment) ? { row, seen, moment } : undefined
  const before = side(state.before, was, at)
  const after = side(state.after, is, at + 1)
  if (!after) return before && { type: state.after ? 'leave' : 'delete', resource, id }
  const version = move?.version
  const record = represent(parts, resource, after)
  if (!before) return { type: 'enter', resource, id, version, record }
  const former = changed(represent(parts, resource, before), record)
  // A write of fields that the reader does not see did not happen.
  if (Object.keys(former).length === 0) return undefined
  return { type: 'change', resource, id, version, record, before: former }
}

/** `at`: the number of the transaction in the world. Throws `LostPlace`. */
export async function eventsOf(parts: MatchingParts, over: SeenOver, at: Moment): Promise<readonly RecordEvent[]> {
  const { world } = parts
  const { resource } = over
  const transaction = world.transactions[at]
  if (!transaction || !mayConcern(parts, over, at)) return []
  const crossed = await crossing(parts, over, at)
  return world.settled(() => {
    const moves = movesOf(transaction, resource)
    const ids = new Map<string, Scalar>([...moves].map(([key, { id }]) => [key, id]))
    for (const where of conditionsOf(over))
      for (const [key, row] of affectedBy(parts, { resource, where }, at)) ids.set(key, row[resource.idField] as Scalar)
    for (const id of crossed) ids.set(String(id), id)
    return [...ids].flatMap(([key, id]) => eventOf(parts, over, { id, move: moves.get(key), at }) ?? [])
  })
}
