/**
 * Reads one manual order inside a write transaction, and finds a free key in it. The order is
 * locked first, so all writers see the same records, and no key is given twice. Where no key is
 * free, the nearest records get other keys, no more of them than needed.
 */
import { jsonText } from '../../base/json-text.ts'
import { keyBetween, spreadKeys } from '../../base/order-keys.ts'
import { ApiError } from '../../errors.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal, isNull, type Scalar } from '../../resource/condition.ts'
import { placedWithin } from '../../resource/fields/places/placed-within.ts'
import type { Row, Values } from '../../storage/storage.ts'
import type { WriteContext } from '../write-context.ts'

/** One order: the records that share these values. `own`: the record that is placed, if stored. */
export type ManualOrder = {
  readonly resource: Resource
  readonly name: string
  readonly where: Condition
  readonly own: Scalar | undefined
}

/** The records that a gap is between; null at an end. */
export type Gap = { readonly low: string | null; readonly high: string | null }

const windowRows = 16

/** Names the order of a record: those with the same name have one. */
export function orderOf(resource: Resource, row: Values): string {
  const values = placedWithin(resource).map((name) => row[name] ?? null)
  return `${resource.table} ${jsonText(values.map((value) => (value === null ? null : String(value))))}`
}

/** The order of the record, which other transactions may change meanwhile. */
export function manualOrderOf(resource: Resource, row: Values): ManualOrder {
  const shared = placedWithin(resource).map((name) => {
    const value = (row[name] ?? null) as Scalar | null
    return value === null ? isNull(name) : equal(name, value)
  })
  const own = (row[resource.idField] ?? undefined) as Scalar | undefined
  return { resource, name: resource.placed?.name as string, where: all(...shared), own }
}

/** The order of the record. No other transaction places a record in it until this one ends. */
export async function lockOrder({ transaction }: WriteContext, resource: Resource, row: Values): Promise<ManualOrder> {
  await transaction.lockName(`order ${orderOf(resource, row)}`)
  return manualOrderOf(resource, row)
}

type Beside = { readonly than: string | null; readonly side: 'below' | 'above'; readonly limit: number }

/** The other records nearest to a key, the nearest first; at the end of that side for null. */
function recordsBeside(
  { transaction }: WriteContext,
  { resource, name, where, own }: ManualOrder,
  { than, side, limit }: Beside,
): Promise<Row[]> {
  const descending = side === 'below'
  const others: Condition =
    own === undefined ? all() : ({ ...equal(resource.idField, own), operator: 'ne' } as Condition)
  const bound: Condition =
    than === null ? all() : { kind: 'compare', field: name, operator: descending ? 'lt' : 'gt', value: than }
  const sort = [name, resource.idField].map((field) => ({ field, descending }))
  return transaction.list(resource, { where: all(where, bound, others), sort, limit })
}

/** The key of the nearest other record below or above this key; null where there is none. */
export async function nearestKey(
  context: WriteContext,
  order: ManualOrder,
  beside: Omit<Beside, 'limit'>,
): Promise<string | null> {
  const [nearest] = await recordsBeside(context, order, { ...beside, limit: 1 })
  return (nearest?.[order.name] ?? null) as string | null
}

/** All records of one order have keys, so this happens only to orders of astronomic length. */
function orderFull({ label }: Resource): ApiError {
  return new ApiError('conflict', `No place is left for another ${label.toLowerCase()}`)
}

type Window = { readonly below: readonly Row[]; readonly above: readonly Row[]; readonly gap: Gap }

/** As many records on each side, and the keys behind them; an end that is near is one of those. */
async function windowOf(context: WriteContext, order: ManualOrder, { gap, size }: { gap: Gap; size: number }) {
  const { low, high } = gap
  // The records in the gap's own keys are part of it.
  const take = async (side: 'below' | 'above'): Promise<readonly Row[]> => {
    const key = side === 'below' ? low : high
    if (key === null) return []
    const nearest = await context.transaction.list(order.resource, {
      where: all(order.where, equal(order.name, key)),
      sort: [{ field: order.resource.idField, descending: false }],
      limit: 1,
    })
    return [...nearest, ...(await recordsBeside(context, order, { than: key, side, limit: size }))]
  }
  const [below, above] = [await take('below'), await take('above')]
  const keyAt = (rows: readonly Row[]) => (rows.length > size ? (rows[size]?.[order.name] as string) : null)
  const window: Window = {
    below: below.slice(0, size),
    above: above.slice(0, size),
    gap: { low: keyAt(below), high: keyAt(above) },
  }
  return window
}

/** Gives the nearest records other keys, so that as many are free between them. Returns those. */
export async function makeRoom(
  context: WriteContext,
  order: ManualOrder,
  { gap, free }: { readonly gap: Gap; readonly free: number },
): Promise<readonly string[]> {
  for (let size = windowRows / 2; ; size *= 2) {
    const { below, above, gap: outer } = await windowOf(context, order, { gap, size })
    const isWhole = outer.low === null && outer.high === null
    const count = below.length + above.length + free
    const keys = spreadKeys(outer.low, outer.high, { count, isWhole })
    if (!keys && isWhole) throw orderFull(order.resource)
    if (!keys) continue
    const rows = [...below.toReversed(), ...Array.from({ length: free }, () => undefined), ...above]
    for (const [i, row] of rows.entries())
      if (row && row[order.name] !== keys[i])
        await context.transaction.adjust(order.resource, [row], { add: {}, set: { [order.name]: keys[i] } })
    return keys.slice(below.length, below.length + free)
  }
}

export async function keyIn(context: WriteContext, order: ManualOrder, gap: Gap): Promise<string> {
  return keyBetween(gap.low, gap.high) ?? ((await makeRoom(context, order, { gap, free: 1 }))[0] as string)
}
