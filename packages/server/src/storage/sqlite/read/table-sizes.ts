/**
 * Facts about the tables that a plan needs: approximate row counts, and the indexes and
 * alternatives that can serve a condition.
 */
import type { Catalog, Resource, SortKey } from '../../../resource/catalog.ts'
import type { Condition } from '../../../resource/condition.ts'
import { modelOf } from '../../model/model.ts'
import { relatedTo } from '../../sql/costs.ts'
import { findMergedScan } from '../../sql/merged-scan.ts'
import type { ListRequest } from '../../storage.ts'
import type { SqliteConnection } from '../connection.ts'
import { makeRangeCovering, type RangeTemplates } from '../rank-index/range-covering.ts'
import { type RankedIndex, rankedIndexesOf } from '../rank-index/ranked-index.ts'
import { rowNumberOf } from '../texts/text-tables.ts'
import type { Snapshot } from './snapshot.ts'

/** SQLite plans reads of tables up to this size: even a full scan takes about a millisecond. */
const smallRows = 1_500

export type TableSizes = {
  /** The ranked indexes of a resource, by its name. */
  indexesOf(resource: string): readonly RankedIndex[]
  /** The fields of all of them. */
  fieldsOf(resource: Resource): readonly string[]
  /** At least the number of rows. */
  rowsMax(resource: Resource): number
  /** Whether the table, and all others that the condition reads, are small. */
  isSmall(resource: Resource, where: Condition): boolean
  /** The ranges of its indexes that hold the records of a condition. */
  rangesOf(resource: Resource, where: Condition): RangeTemplates
  /** The index that begins with the first key of a sort and has its complete order. */
  indexOf(resource: Resource, sort: readonly SortKey[]): RankedIndex | undefined
  /** Whether index scans of alternatives are merged, and the list stops at its limit. */
  isMerged(resource: Resource, request: ListRequest): boolean
}

type TableSizesDeps = { readonly reader: SqliteConnection; readonly snapshot: Snapshot; readonly catalog: Catalog }

export function makeTableSizes({ reader, snapshot, catalog }: TableSizesDeps): TableSizes {
  const tables = new Map(modelOf(catalog).tables.map((table) => [table.name, table]))
  const indexes = new Map<string, readonly RankedIndex[]>()
  const lastRows = new Map<string, () => number>()
  for (const resource of catalog.resources.values()) {
    const table = tables.get(resource.table)
    indexes.set(resource.name, table ? rankedIndexesOf(resource, table) : [])
    const sql = `SELECT max("${rowNumberOf(resource)}") FROM "${resource.table}"`
    lastRows.set(
      resource.name,
      snapshot.once(() => (reader.first({ sql, parameters: [] })?.[0] as number | null) ?? 0),
    )
  }
  const indexesOf = (name: string) => indexes.get(name) ?? []
  /** Row numbers begin at 1 and rise, so the last number is at least the number of rows. */
  const rowsMax = ({ name }: Resource) => (lastRows.get(name) as () => number)()

  return {
    indexesOf,
    fieldsOf: ({ name }) => [...new Set(indexesOf(name).flatMap(({ fields, flags }) => [...fields, ...flags]))],
    rowsMax,
    isSmall: (resource, where) => [resource, ...relatedTo(catalog, where)].every((one) => rowsMax(one) < smallRows),
    rangesOf: makeRangeCovering(indexesOf),
    indexOf: ({ name }, sort) =>
      indexesOf(name).find(
        ({ fields }) => fields.length === sort.length && fields.every((field, i) => field === sort[i]?.field),
      ),
    isMerged(resource, { where, sort, offset = 0 }) {
      const merge = findMergedScan(tables.get(resource.table)?.indexes ?? [], resource, { where, sort })
      return merge?.rest.kind === 'true' && offset <= smallRows
    },
  }
}
