/**
 * Gives records their places in a manual order, right before they are stored. A new record, and one
 * that comes into another order, goes to the end unless the write says a place.
 */
import { keyBetween } from '../../base/order-keys.ts'
import { ApiError } from '../../errors.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import { type Field, fieldError } from '../../resource/fields/field.ts'
import { givenPlace, type Place } from '../../resource/fields/places/place-change.ts'
import { placedWithin } from '../../resource/fields/places/placed-within.ts'
import { inSentence, listOf } from '../../resource/words/names.ts'
import type { Row, Values } from '../../storage/storage.ts'
import type { WriteContext } from '../write-context.ts'
import {
  type Gap,
  keyIn,
  lockOrder,
  type ManualOrder,
  makeRoom,
  manualOrderOf,
  nearestKey,
  orderOf,
} from './open-place.ts'

export type PartedPlace = { readonly values: Values; readonly place: Place | undefined }

/**
 * Parts the values of a write: those that are stored as they are, and the place of the record. The
 * key that the record has already is no place. Throws `bad-request`.
 */
export function partPlace(resource: Resource, sent: Values, before?: Row): PartedPlace {
  const name = resource.placed?.name
  if (name === undefined || !Object.hasOwn(sent, name)) return { values: sent, place: undefined }
  const { [name]: value, ...values } = sent
  return { values, place: value === before?.[name] ? undefined : givenPlace(value, name) }
}

function noNeighbour({ resource, name }: ManualOrder, side: string) {
  const shared = placedWithin(resource).length === 0 ? '' : ` with the same ${listOf(resource.placed?.within ?? [])}`
  const same = resource.placed?.within.length === 0 ? '' : shared
  return fieldError(`${name}.${side}`, `must be the id of another ${inSentence(resource.label)}${same}`)
}

/** The key of the record that a place names. One that the caller may not read is none. */
async function neighbourKey(
  { transaction, bounds }: WriteContext,
  order: ManualOrder,
  { side, id: sent }: Extract<Place, { side: string }>,
): Promise<string> {
  const { resource, name, where } = order
  const { idField, fields } = resource
  const field = fields[idField] as Field
  let id: Scalar
  try {
    id = field.type.parse(String(sent), idField, field) as Scalar
  } catch {
    throw noNeighbour(order, side)
  }
  const readable = bounds?.readable(resource) ?? all()
  const found = await transaction.find(resource, all(equal(idField, id), where, readable))
  if (!found || id === order.own) throw noNeighbour(order, side)
  return found.row[name] as string
}

/** The gap that the record goes into; a key where that is free. */
async function gapOf(context: WriteContext, order: ManualOrder, place: Place): Promise<Gap | string> {
  if ('end' in place) {
    const side = place.end === 'first' ? 'above' : 'below'
    const key = await nearestKey(context, order, { than: null, side })
    return place.end === 'first' ? { low: null, high: key } : { low: key, high: null }
  }
  if ('at' in place) {
    const { name, resource, where, own } = order
    const found = await context.transaction.list(resource, {
      where: all(where, equal(name, place.at)),
      sort: [],
      limit: 2,
    })
    if (found.every((row) => row[resource.idField] === own)) return place.at
    return { low: place.at, high: await nearestKey(context, order, { than: place.at, side: 'above' }) }
  }
  const key = await neighbourKey(context, order, place)
  const isAfter = place.side === 'after'
  const other = await nearestKey(context, order, { than: key, side: isAfter ? 'above' : 'below' })
  return isAfter ? { low: key, high: other } : { low: other, high: key }
}

/** A record that is in the gap already stays as it is. */
function isIn(key: unknown, { low, high }: Gap): boolean {
  return typeof key === 'string' && (low === null || key > low) && (high === null || key < high)
}

/** Whether a change of these fields moves a record. */
export function isPlacedBy(resource: Resource, changed: readonly string[]): boolean {
  const { placed } = resource
  return placed !== undefined && changed.some((name) => name === placed.name || placedWithin(resource).includes(name))
}

type Placing = { readonly resource: Resource; readonly row: Values; readonly place: Place | undefined }

/**
 * Finds the record that the place of a new one names, before anything of it is stored. An import
 * goes on after such a mistake, in the same transaction. Throws `bad-request`.
 */
export async function checkPlace(context: WriteContext, { resource, row, place }: Placing): Promise<void> {
  if (place && 'side' in place) await neighbourKey(context, manualOrderOf(resource, row), place)
}

/** The key of one record. `stored`: the key that it has in this order. Throws `bad-request`. */
export async function placeKey(
  context: WriteContext,
  { resource, row, place = { end: 'last' } }: Placing,
  stored?: unknown,
): Promise<string> {
  const order = await lockOrder(context, resource, row)
  const gap = await gapOf(context, order, place)
  if (typeof gap === 'string') return gap
  return isIn(stored, gap) ? (stored as string) : keyIn(context, order, gap)
}

type PlacedChange = { readonly resource: Resource; readonly before: Row; readonly place: Place | undefined }

/** The key of a new record whose place was checked. Throws `conflict` if its neighbour has gone. */
export async function keyOfNew(context: WriteContext, placing: Placing): Promise<string> {
  try {
    return await placeKey(context, placing)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'bad-request') throw error
    throw new ApiError('conflict', error.message)
  }
}

/** The values of a change, with the key where the record moves. Throws `bad-request`. */
export async function withPlace(
  context: WriteContext,
  { resource, before, place }: PlacedChange,
  values: Values,
): Promise<Values> {
  if (!resource.placed) return values
  const { name } = resource.placed
  const row = { ...before, ...values }
  const isSame = orderOf(resource, row) === orderOf(resource, before)
  const given = place ?? givenPlace(values[name], name)
  if (isSame && given === undefined) return values
  const key = await placeKey(context, { resource, row, place: given }, isSame ? before[name] : undefined)
  return { ...values, [name]: key }
}

/** As many keys behind the last one; undefined where there is no room for them. */
function keysBehind(last: string | null, count: number): readonly string[] | undefined {
  const keys: string[] = []
  for (let key = last; keys.length < count; keys.push(key)) {
    const next = keyBetween(key, null)
    if (next === undefined) return undefined
    key = next
  }
  return keys
}

/** New records, whose places are the ends of their orders. Each order is read once. */
export async function placeLast<R extends Values>(
  context: WriteContext,
  resource: Resource,
  rows: readonly R[],
): Promise<readonly R[]> {
  const name = resource.placed?.name
  if (name === undefined || rows.length === 0) return rows
  const keys = new Map<Values, string>()
  const groups = [...Map.groupBy(rows, (row) => orderOf(resource, row))]
  for (const [, group] of groups.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const order = await lockOrder(context, resource, { ...group[0], [resource.idField]: undefined })
    const low = await nearestKey(context, order, { than: null, side: 'below' })
    const free = group.length
    const last = keysBehind(low, free) ?? (await makeRoom(context, order, { gap: { low, high: null }, free }))
    for (const [i, row] of group.entries()) keys.set(row, last[i] as string)
  }
  return rows.map((row) => ({ ...row, [name]: keys.get(row) }))
}
