/**
 * The columns of the change log, the same in every database, and the conversion from a stored row
 * back to a change.
 */
import type { Catalog } from '../../resource/catalog.ts'
import { type Change, type ChangeKind, changesTable } from '../changes.ts'
import { readDetail } from './logged-values.ts'

/**
 * One record has columns of its own, so that its history can be found; several records are a list
 * of `[id, version]` in `records`.
 */
export const changeColumns = [
  'at_ms',
  'resource',
  'kind',
  'id',
  'version',
  'records',
  'user_id',
  'credential',
  'detail',
]

/**
 * Whether the row marks deleted rows of the log: a trigger adds it when another program deletes
 * rows that some reader may not have read. A reader that finds it starts over, as after a gap.
 */
export function isCut({ resource }: Pick<Change, 'resource'>): boolean {
  return resource === changesTable
}

type ChangeCells = readonly [
  sequence: number,
  atMs: number,
  resource: string,
  kind: ChangeKind,
  id: string | null,
  version: number | null,
  records: string | null,
  userId: string | null,
  credential: string,
  detail: string | null,
]

/**
 * The row begins with its sequence. A resource that is no longer declared keeps its name, and its
 * ids are texts.
 */
export function readChange(catalog: Catalog, cells: readonly unknown[]): Change {
  const [sequence, atMs, resource, kind, id, version, list, userId, credential, detail] = cells as ChangeCells
  const many = list === null ? [] : (JSON.parse(list) as [string | number, number][])
  const one =
    id === null ? [] : [{ id: catalog.resources.get(resource)?.hasCountedId ? Number(id) : id, version: version ?? 0 }]
  const records = id === null ? many.map(([each, at]) => ({ id: each, version: at })) : one
  const told = detail === null ? {} : readDetail(detail, { resource: catalog.resources.get(resource), records })
  return { sequence, atMs, resource, kind, records, userId, credential, ...told }
}
