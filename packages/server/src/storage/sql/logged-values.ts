/**
 * The values before and after that the change log keeps of the fields of `changes`. Those of many
 * records stand in the order of their ids: a database counts some ids only in the statement.
 */
import { jsonText } from '../../base/json-text.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Author, Change, ChangeDetail, WrittenRecord } from '../changes.ts'
import type { Values } from '../stored-row.ts'
import { decodeLong } from './select-rows.ts'

/** Of one record. `changes`: the values that the write sets, so that most are stored once. */
export type KeptValues = { readonly before?: Values; readonly changes?: Values }

function picked(row: Values, names: readonly string[]): Values {
  const values: Record<string, unknown> = {}
  for (const name of names) if (Object.hasOwn(row, name)) values[name] = row[name] ?? null
  return values
}

const byId = (a: Scalar, b: Scalar): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * The values that the log keeps of a statement; undefined where the resource declares nothing. Rows
 * without an id get theirs in their order.
 */
export function keptValues(
  { loggedNames, idField }: Resource,
  written: () => readonly KeptValues[],
): readonly KeptValues[] | undefined {
  if (!loggedNames) return undefined
  const rows = written()
  const idOf = ({ before, changes }: KeptValues) => (before ?? changes)?.[idField] as Scalar | undefined
  const [first] = rows
  const isSorted = rows.length < 2 || (first && idOf(first) === undefined)
  const sorted = isSorted ? rows : rows.toSorted((a, b) => byId(idOf(a) as Scalar, idOf(b) as Scalar))
  return sorted.map(({ before, changes }) => ({
    ...(before && { before: picked(before, loggedNames) }),
    ...(changes && { changes: picked(changes, loggedNames) }),
  }))
}

type DetailParts = { readonly detail?: ChangeDetail | undefined; readonly kept?: readonly KeptValues[] | undefined }

/** The cell of the log. */
export function detailText({ detail, kept }: DetailParts, { requestId }: Pick<Author, 'requestId'>): string | null {
  if (!detail && !kept) return null
  return jsonText(kept ? { ...detail, kept, ...(requestId !== undefined && { request: requestId }) } : detail)
}

type AboutWrite = {
  readonly resource: Pick<Resource, 'name'> & Partial<Pick<Resource, 'loggedNames' | 'idField'>>
  readonly records: readonly WrittenRecord[]
}

/** The values of each record, in their order; undefined where other records were written. */
function valuesOf(
  kept: readonly KeptValues[],
  { resource: { loggedNames = [], idField }, records }: AboutWrite,
): readonly ChangeDetail[] | undefined {
  if (kept.length !== records.length) return undefined
  const sorted = records.map((_, i) => i).sort((a, b) => byId(idAt(records, a), idAt(records, b)))
  const values: ChangeDetail[] = []
  for (const [i, at] of sorted.entries()) {
    const { before, changes } = kept[i] as KeptValues
    const id = idField !== undefined && loggedNames.includes(idField) ? { [idField]: idAt(records, at) } : {}
    values[at] = { ...(before && { before }), ...(changes && { after: { ...before, ...changes, ...id } }) }
  }
  return values
}

const idAt = (records: readonly WrittenRecord[], i: number): Scalar => records[i]?.id as Scalar

/** The part of a change that says what was written, for readers of this process. */
export function toldOf({ detail, kept }: DetailParts, about: AboutWrite): Pick<Change, 'detail' | 'values'> {
  const values = kept && valuesOf(kept, about)
  return { ...(detail && { detail }), ...(values && { values }) }
}

/** Stored values of the fields that the log keeps today: 64-bit integers are texts in JSON. */
function decoded({ fields, loggedNames = [] }: Resource, side: Values | undefined): Values | undefined {
  if (!side) return undefined
  const values = picked(side, loggedNames) as Record<string, unknown>
  for (const name of Object.keys(values))
    if (fields[name]?.type.column === 'long' && values[name] !== null) values[name] = decodeLong(values[name])
  return values
}

type StoredDetail = ChangeDetail & {
  readonly kept?: readonly KeptValues[]
  readonly request?: string
  readonly erased?: true
}

/** The cell of a change whose values an erasure has taken. */
export const erasedDetail = jsonText({ erased: true } satisfies StoredDetail)

/** The same of a row of the log. A field that is hidden since, or declared no more, is left out. */
export function readDetail(
  text: string,
  { resource, records }: { readonly resource: Resource | undefined; readonly records: readonly WrittenRecord[] },
): Pick<Change, 'detail' | 'values' | 'isErased' | 'requestId'> {
  const { kept, request, erased, ...detail } = JSON.parse(text) as StoredDetail
  if (erased) return { isErased: true }
  const told = {
    ...(Object.keys(detail).length > 0 && { detail }),
    ...(request !== undefined && { requestId: request }),
  }
  if (!kept || !resource?.loggedNames) return told
  const known = kept.map(({ before, changes }) => {
    const [was, set] = [decoded(resource, before), decoded(resource, changes)]
    return { ...(was && { before: was }), ...(set && { changes: set }) }
  })
  return { ...told, ...toldOf({ kept: known }, { resource, records }) }
}
