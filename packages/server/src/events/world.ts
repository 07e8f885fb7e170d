/**
 * Records as they were at the moments of a part of the log. The database says how they are now, and
 * the log how each was before its first change since. A lookup never waits: it notes which rows it
 * lacks, and `settled` reads these and repeats the work.
 */
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import type { KeptLog, LogPlace } from '../storage/derived/kept-log.ts'
import type { ReadStorage, Values } from '../storage/storage.ts'
import type { LogTransaction, RowMove } from './log-transactions.ts'
import { lost, lostBy } from './lost.ts'

/**
 * A state of the records: 0 before the first transaction of the part, 1 behind it, and so on.
 */
export type Moment = number

export type WorldParts = {
  readonly catalog: Catalog
  readonly storage: Pick<ReadStorage, 'list'>
  readonly log: Pick<KeptLog, 'touched'>
}

/** A field of a resource with a value. */
type RowKey = { readonly resource: Resource; readonly field: string; readonly value: Scalar }

export type World = {
  readonly transactions: readonly LogTransaction[]
  /** The record with this id; null where there was none. */
  row(resource: Resource, id: Scalar, moment: Moment): Values | null
  /** The records whose field had this value. */
  rows(key: RowKey, moment: Moment): readonly Values[]
  /** All records that changed at that moment or later, as they were then. */
  moved(resource: Resource, moment: Moment): Promise<ReadonlyMap<string, Values | null>>
  /** Whether a lookup lacked rows since the work began. */
  isMissing(): boolean
  /** Does the work as often as it needs further rows. Throws `LostPlace`. */
  settled<T>(work: () => T): Promise<T>
}

/** Rows that one part of the log may need of other tables, and changes of each table behind it. */
const rowsMax = 10_000
const touchedMax = 10_000
/** Values of one statement. */
const valuesMax = 500

type LoadedRows = {
  /** By field and value. */
  readonly found: Map<string, readonly Values[]>
  /** How records were that changed behind the part; null where there was none. */
  touched: ReadonlyMap<string, Values | null>
  /** The touched records, by a field and its value. */
  byField: Map<string, Map<unknown, Values[]>>
}

const keyOf = (field: string, value: Scalar) => `${field} ${typeof value} ${String(value)}`

/** A move of a record in the part, with the number of the transaction. */
type NumberedMove = { readonly at: number; readonly move: RowMove }

function indexMoves(transactions: readonly LogTransaction[]): Map<string, Map<string, NumberedMove[]>> {
  const index = new Map<string, Map<string, NumberedMove[]>>()
  for (const [at, { moves }] of transactions.entries())
    for (const [name, own] of moves) {
      const ofResource = index.get(name) ?? new Map<string, NumberedMove[]>()
      index.set(name, ofResource)
      for (const [id, move] of own) {
        const known = ofResource.get(id)
        if (known) known.push({ at, move })
        else ofResource.set(id, [{ at, move }])
      }
    }
  return index
}

/** A record that changed in the part is known at each of its moments. */
function stateOf(moves: readonly NumberedMove[], moment: Moment): Values | null {
  const next = moves.find(({ at }) => at >= moment)
  return next ? next.move.before : ((moves.at(-1) as NumberedMove).move.after ?? null)
}

function makeLoaded({ storage, log }: WorldParts, end: LogPlace) {
  const loaded = new Map<string, LoadedRows>()
  let missing: RowKey[] = []
  let count = 0

  const of = ({ name }: Resource): LoadedRows => {
    const known = loaded.get(name) ?? { found: new Map(), touched: new Map(), byField: new Map() }
    loaded.set(name, known)
    return known
  }
  /** Call it behind every read of the table: all changes that the read may have seen are in it. */
  async function readTouched(resource: Resource): Promise<LoadedRows> {
    const touched = await log.touched(resource, end, touchedMax)
    if (typeof touched === 'string') throw lostBy(touched, resource)
    const own = of(resource)
    own.touched = touched
    own.byField = new Map()
    return own
  }
  async function readRows(resource: Resource, field: string, values: readonly Scalar[]): Promise<void> {
    const { idField } = resource
    const sort = [{ field: idField, descending: false }]
    const { found } = of(resource)
    for (const value of values) found.set(keyOf(field, value), [])
    for (let at = 0; at < values.length; at += valuesMax) {
      const where = { kind: 'in', field, values: values.slice(at, at + valuesMax) } as const
      const rows = await storage.list(resource, { where, sort, limit: rowsMax + 1 - count })
      count += rows.length
      if (count > rowsMax) throw lost('One change concerns too many records')
      for (const row of rows) {
        const key = keyOf(field, row[field] as Scalar)
        found.set(key, [...(found.get(key) ?? []), row])
      }
    }
  }
  async function load(): Promise<void> {
    const groups = new Map<string, { resource: Resource; field: string; values: Set<Scalar> }>()
    for (const { resource, field, value } of missing) {
      const name = `${resource.name} ${field}`
      const group = groups.get(name) ?? { resource, field, values: new Set<Scalar>() }
      groups.set(name, group)
      group.values.add(value)
    }
    missing = []
    for (const { resource, field, values } of groups.values()) await readRows(resource, field, [...values])
    for (const resource of new Set([...groups.values()].map((one) => one.resource))) await readTouched(resource)
  }
  return {
    of,
    readTouched,
    load,
    lacks: (key: RowKey) => void missing.push(key),
    isMissing: () => missing.length > 0,
  }
}

function touchedBy({ touched, byField }: LoadedRows, field: string, value: Scalar): readonly Values[] {
  const known = byField.get(field) ?? new Map<unknown, Values[]>()
  if (!byField.has(field)) {
    byField.set(field, known)
    for (const row of touched.values()) {
      if (row === null) continue
      const same = known.get(row[field])
      if (same) same.push(row)
      else known.set(row[field], [row])
    }
  }
  return known.get(value) ?? []
}

/** `end`: the place behind the last of the transactions. */
export function makeWorld(parts: WorldParts, transactions: readonly LogTransaction[], end: LogPlace): World {
  const moves = indexMoves(transactions)
  const loaded = makeLoaded(parts, end)
  const movesIn = ({ name }: Resource) => moves.get(name)

  function rows(key: RowKey, moment: Moment): readonly Values[] {
    const { resource, field, value } = key
    const own = loaded.of(resource)
    const stored = own.found.get(keyOf(field, value))
    if (!stored) {
      loaded.lacks(key)
      return []
    }
    const moving = movesIn(resource)
    const idOf = (row: Values) => String(row[resource.idField])
    const still = stored.filter((row) => !own.touched.has(idOf(row)) && !moving?.has(idOf(row)))
    const was = touchedBy(own, field, value).filter((row) => !moving?.has(idOf(row)))
    const inPart = [...(moving?.values() ?? [])].flatMap((one) => {
      const state = stateOf(one, moment)
      return state && state[field] === value ? [state] : []
    })
    return [...still, ...was, ...inPart]
  }

  return {
    transactions,
    rows,
    isMissing: loaded.isMissing,
    row(resource, id, moment) {
      const own = movesIn(resource)?.get(String(id))
      if (own) return stateOf(own, moment)
      return rows({ resource, field: resource.idField, value: id }, moment)[0] ?? null
    },
    async moved(resource, moment) {
      const { touched } = await loaded.readTouched(resource)
      const moving = movesIn(resource)
      const inPart = [...(moving ?? [])].filter(([, own]) => own.some(({ at }) => at >= moment))
      // A record may have changed before the moment in the part, and again behind it.
      const ids = new Set([...touched.keys(), ...inPart.map(([id]) => id)])
      const stateAt = (id: string): Values | null => {
        const own = moving?.get(id)
        return own ? stateOf(own, moment) : (touched.get(id) ?? null)
      }
      return new Map([...ids].map((id) => [id, stateAt(id)]))
    },
    async settled(work) {
      for (;;) {
        const result = work()
        if (!loaded.isMissing()) return result
        await loaded.load()
      }
    },
  }
}
