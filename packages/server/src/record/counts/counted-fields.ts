/**
 * Keeps counted fields. The writes of a transaction note their changes to counts of other records,
 * and the end of the transaction applies them. It locks those records in one order, so that
 * two transactions do not wait for each other. Neither version nor `updatedAt` of them changes.
 */
import { jsonText } from '../../base/json-text.ts'
import { ApiError } from '../../errors.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import { isExactSum, storedSum } from '../../resource/fields/numbers/exact-sum.ts'
import type { Sums } from '../../resource/fields/numbers/number-facts.ts'
import type { CountedIn } from '../../resource/resolved-resource.ts'
import { inSentence } from '../../resource/words/names.ts'
import { fieldsOf } from '../../storage/derived/match.ts'
import { compareValues } from '../../storage/derived/sort-order.ts'
import type { Adjustment, Row, Values } from '../../storage/storage.ts'
import type { PendingCounts, WriteContext } from '../write-context.ts'

/** One written record; a side is absent where there was none. */
type WrittenRow = { readonly before?: Values | undefined; readonly after?: Values | undefined }
/** The part of one record in a counted field of another. */
type Share = { readonly id: Scalar; readonly value: Scalar }

type NotedShare = Share & { readonly sign: 1n | -1n }

const batchRows = 500

function shareOf(context: WriteContext, counted: CountedIn, row: Values | undefined): Share | undefined {
  const { resource, by, kind, field, where } = counted
  const id = (row?.[by] ?? null) as Scalar | null
  if (!row || id === null) return undefined
  if (where && context.matching.compile(resource, where)(row) !== true) return undefined
  const value = kind === 'count' ? 1 : ((row[field as string] ?? null) as Scalar | null)
  return value === null ? undefined : { id, value }
}

function pendingOf({ counted }: WriteContext, parent: Resource, id: Scalar): PendingCounts {
  const records = counted.get(parent) ?? new Map<Scalar, PendingCounts>()
  counted.set(parent, records)
  const pending = records.get(id) ?? { added: new Map(), times: new Map(), isCountedAnew: false }
  records.set(id, pending)
  return pending
}

/** `sign`: whether the share came or went. */
function noteShare({ added, times }: PendingCounts, { name, kind }: CountedIn, { value, sign }: NotedShare): void {
  if (kind !== 'latest') return void added.set(name, (added.get(name) ?? 0n) + sign * BigInt(value))
  const known = times.get(name) ?? { came: null, went: null }
  const side = sign === 1n ? 'came' : 'went'
  const other = known[side]
  times.set(name, { ...known, [side]: other === null || compareValues(value, other) > 0 ? value : other })
}

/** Notes what written records change in counts. Most resources are counted nowhere. */
export function noteCounted(context: WriteContext, resource: Resource, rows: readonly WrittenRow[]): void {
  for (const counted of resource.countedIn) {
    for (const { before, after } of rows) {
      const [was, is] = [shareOf(context, counted, before), shareOf(context, counted, after)]
      if (was?.id === is?.id && was?.value === is?.value) continue
      if (was) noteShare(pendingOf(context, counted.parent, was.id), counted, { ...was, sign: -1n })
      if (is) noteShare(pendingOf(context, counted.parent, is.id), counted, { ...is, sign: 1n })
    }
  }
}

/** These records came back from the trash: all that refers to them now is counted. */
export function noteRecount(context: WriteContext, resource: Resource, rows: readonly Row[]): void {
  if (resource.countedNames.length === 0) return
  for (const row of rows) pendingOf(context, resource, row[resource.idField] as Scalar).isCountedAnew = true
}

/** Whether a count follows from one of these fields, so that a change must read the records. */
export function isCountedBy(resource: Resource, changed: readonly string[]): boolean {
  return resource.countedIn.some(({ by, field, where }) => {
    const read = where ? fieldsOf(resource, where) : new Set<string>()
    return changed.some((name) => name === by || name === field || read.has(name))
  })
}

function tooLarge(parent: Resource, name: string): ApiError {
  const detail = `${name} of the ${inSentence(parent.label)} would be too large to be exact`
  return new ApiError('conflict', detail)
}

/** The sums of the counted field. Throws `conflict` for a sum that it does not hold. */
function sumsOf(parent: Resource, name: string, sum: bigint): Sums {
  const adds = parent.fields[name]?.type.adds as Sums
  if (!isExactSum(adds, sum)) throw tooLarge(parent, name)
  return adds
}

/** The latest time of the records that count now. */
async function latestOf(
  { transaction }: WriteContext,
  { resource, by, field = '', where }: CountedIn,
  id: Scalar,
): Promise<unknown> {
  const asked = all(equal(by, id), { kind: 'null', field, isNull: false }, ...(where ? [where] : []))
  const sort = [
    { field, descending: true },
    { field: resource.idField, descending: true },
  ]
  const [first] = await transaction.list(resource, { where: asked, sort, limit: 1 })
  return first?.[field] ?? null
}

/** The sum over the records that count now. */
async function sumOf(
  { transaction }: WriteContext,
  { parent, name, resource, by, field = '', where }: CountedIn,
  id: Scalar,
): Promise<number | bigint> {
  const asked = all(equal(by, id), ...(where ? [where] : []))
  const sort = [{ field: resource.idField, descending: false }]
  let total = 0n
  for (let after: Scalar | undefined; ; ) {
    const cursor = after === undefined ? null : { values: [after] }
    const rows = await transaction.list(resource, { where: asked, sort, limit: batchRows, after: cursor })
    for (const row of rows) total += BigInt((row[field] ?? 0) as number | bigint)
    if (rows.length < batchRows) return storedSum(sumsOf(parent, name, total), total)
    after = rows.at(-1)?.[resource.idField] as Scalar
  }
}

/** The counts of this record, by the records that count now. */
export async function countedAnew(context: WriteContext, parent: Resource, row: Row): Promise<Values> {
  const id = row[parent.idField] as Scalar
  const set: Record<string, unknown> = {}
  for (const [name, counted] of Object.entries(parent.counts)) {
    const { resource, by, kind, where } = counted
    const asked = all(equal(by, id), ...(where ? [where] : []))
    if (kind === 'latest') set[name] = await latestOf(context, counted, id)
    else if (kind === 'sum') set[name] = await sumOf(context, counted, id)
    else set[name] = await context.transaction.count(resource, asked)
  }
  return set
}

type Adjusted = Adjustment & { readonly row: Row }

/** The changes to one locked record. Throws `conflict` for a sum that no number holds. */
async function adjustedOf(
  context: WriteContext,
  parent: Resource,
  { row, pending: { added, times, isCountedAnew } }: { readonly row: Row; readonly pending: PendingCounts },
): Promise<Adjusted> {
  const id = row[parent.idField] as Scalar
  if (isCountedAnew) return { row, add: {}, set: await countedAnew(context, parent, row) }
  const add: Record<string, number | bigint> = {}
  const set: Record<string, unknown> = {}
  for (const [name, by] of added) {
    if (by === 0n) continue
    const sum = BigInt(row[name] as number | bigint) + by
    const adds = sumsOf(parent, name, sum)
    // Two sums that a column holds may be further apart than a column holds.
    if (isExactSum(adds, by)) add[name] = storedSum(adds, by)
    else set[name] = storedSum(adds, sum)
  }
  for (const [name, { came, went }] of times) {
    const stored = (row[name] ?? null) as Scalar | null
    // The latest one may have gone; another one is found by the records that are left.
    const isOpen = went !== null && (stored === null || compareValues(went, stored) >= 0)
    const isLater = came !== null && (stored === null || compareValues(came, stored) > 0)
    const value = isOpen ? await latestOf(context, parent.counts[name] as CountedIn, id) : isLater ? came : stored
    if (value !== stored) set[name] = value
  }
  return { row, add, set }
}

type LockedIds = { readonly parent: Resource; readonly ids: readonly Scalar[] }

function lockIds({ transaction }: WriteContext, { parent, ids }: LockedIds): Promise<readonly Row[]> {
  const where = { kind: 'in', field: parent.idField, values: ids } as const
  return transaction.lockAll(parent, { where, sort: [{ field: parent.idField, descending: false }], limit: batchRows })
}

/**
 * The records, locked. One that is not there may come back from the trash meanwhile, and its counts
 * with it. Its row in the trash is locked: then its counts wait for this transaction. Where that
 * has gone too, the record has come back, and is locked.
 */
async function lockCounted(context: WriteContext, { parent, ids }: LockedIds): Promise<readonly Row[]> {
  const rows = await lockIds(context, { parent, ids })
  const trash = parent.trash?.resource
  if (!trash || rows.length === ids.length) return rows
  const idsIn = (found: readonly Row[]) => new Set(found.map((row) => row[parent.idField] as Scalar))
  const there = idsIn(rows)
  const missing = ids.filter((id) => !there.has(id))
  const inTrash = idsIn(await lockIds(context, { parent: trash, ids: missing }))
  const back = missing.filter((id) => !inTrash.has(id))
  return back.length === 0 ? rows : [...rows, ...(await lockIds(context, { parent, ids: back }))]
}

async function applyTo(
  context: WriteContext,
  parent: Resource,
  records: ReadonlyMap<Scalar, PendingCounts>,
): Promise<void> {
  const { transaction } = context
  const ids = [...records.keys()].sort(compareValues)
  for (let at = 0; at < ids.length; at += batchRows) {
    const rows = await lockCounted(context, { parent, ids: ids.slice(at, at + batchRows) })
    const adjusted: Adjusted[] = []
    for (const row of rows) {
      const pending = records.get(row[parent.idField] as Scalar) as PendingCounts
      adjusted.push(await adjustedOf(context, parent, { row, pending }))
    }
    // Those that change by the same amounts are one statement: an import counts thousands up by 1.
    for (const same of Map.groupBy(adjusted, ({ add, set }) => jsonText([add, set])).values()) {
      const [{ add, set }] = same as [Adjusted]
      await transaction.adjust(
        parent,
        same.map(({ row }) => row),
        { add, set },
      )
    }
  }
}

function isOpen({ added, times, isCountedAnew }: PendingCounts): boolean {
  return isCountedAnew || times.size > 0 || added.values().some((by) => by !== 0n)
}

/** At the end of a transaction, in the order of tables and ids. Throws `conflict`. */
export async function applyCounted(context: WriteContext): Promise<void> {
  const { counted } = context
  const parents = [...counted].sort(([a], [b]) => (a.table < b.table ? -1 : 1))
  counted.clear()
  for (const [parent, records] of parents) {
    const left = new Map([...records].filter(([, pending]) => isOpen(pending)))
    if (left.size > 0) await applyTo(context, parent, left)
  }
}
