/**
 * The changes of the log as whole transactions. A record that one transaction writes several times
 * moves once: no reader has seen the states in between.
 */
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import { type KeptChange, type LogPlace, lossIn } from '../storage/derived/kept-log.ts'
import type { Values } from '../storage/storage.ts'
import { lostBy } from './lost.ts'

/** `before` and `after` have the logged fields; null where there was no record. */
export type RowMove = {
  readonly resource: Resource
  readonly id: Scalar
  readonly version: number
  readonly before: Values | null
  readonly after: Values | null
}

export type LogTransaction = {
  /** Its end. */
  readonly place: LogPlace
  readonly atMs: number
  readonly userId: string | null
  readonly requestId: string | undefined
  /** By the names of resources, and by the ids as texts. */
  readonly moves: ReadonlyMap<string, ReadonlyMap<string, RowMove>>
}

const none: ReadonlyMap<string, RowMove> = new Map()

export function movesOf({ moves }: LogTransaction, { name }: Pick<Resource, 'name'>): ReadonlyMap<string, RowMove> {
  return moves.get(name) ?? none
}

function addMoves(moves: Map<string, Map<string, RowMove>>, resource: Resource, change: KeptChange): void {
  const { name } = resource
  const own = moves.get(name) ?? new Map<string, RowMove>()
  moves.set(name, own)
  for (const [i, { id, version }] of change.records.entries()) {
    const { before, after } = change.values?.[i] ?? {}
    const earlier = own.get(String(id))
    own.set(String(id), {
      resource,
      id,
      version,
      before: earlier ? earlier.before : (before ?? null),
      after: after ?? null,
    })
  }
}

/** Throws `LostPlace` for a change without values. */
function transactionOf(catalog: Catalog, changes: readonly KeptChange[]): LogTransaction {
  const moves = new Map<string, Map<string, RowMove>>()
  for (const change of changes) {
    const loss = lossIn(change)
    if (loss) throw lostBy(loss)
    const resource = catalog.resources.get(change.resource)
    if (resource) addMoves(moves, resource, change)
  }
  for (const own of moves.values())
    for (const [id, { before, after }] of own) if (before === null && after === null) own.delete(id)
  const last = changes.at(-1) as KeptChange
  const { place, atMs, userId, requestId } = last
  return { place, atMs, userId, requestId, moves }
}

/** Throws `LostPlace`. */
export function transactionsOf(catalog: Catalog, changes: readonly KeptChange[]): readonly LogTransaction[] {
  const groups: KeptChange[][] = []
  for (const change of changes) {
    const open = groups.at(-1)
    if (open?.[0]?.place === change.place) open.push(change)
    else groups.push([change])
  }
  return groups.map((group) => transactionOf(catalog, group))
}
