/** Reads a list by its plan, in one snapshot on the main thread. */
import type { Resource, SortKey } from '../../../resource/catalog.ts'
import { all, type Condition } from '../../../resource/condition.ts'
import type { SqlTools } from '../../sql/reader.ts'
import type { ListRequest, Row } from '../../storage.ts'
import type { SqliteConnection } from '../connection.ts'
import type { IndexCell } from '../rank-index/index-predicate.ts'
import { compareBounds, type KeyBound, segmentsBetween } from '../rank-index/key-bound.ts'
import type { IndexRange } from '../rank-index/range-covering.ts'
import type { RankIndex } from '../rank-index/rank-index.ts'
import type { RankIndexes } from '../rank-index/rank-indexes.ts'
import { beginningOf, flagConditions, type KeyRange, rankOf } from '../rank-index/rank-of.ts'
import type { ListPlan } from './list-plan.ts'

type PlannedListDeps = {
  readonly reader: SqliteConnection
  readonly tools: SqlTools
  readonly rankIndexes: RankIndexes
}
type IndexWalk = {
  readonly range: IndexRange
  readonly keyRange: KeyRange
  readonly descending: boolean
  readonly skip: number
  readonly limit: number
}

/** An offset up to this is walked: a rank index would walk about as far inside a block. */
const walkedOffsetMax = 40

/** The bound of a cursor in the index: its values for the fields behind the fixed ones. */
function cursorBound(
  { index, fixed, keyRange }: IndexRange,
  { sort, after }: ListRequest,
  descending: boolean,
): KeyBound {
  const at = new Map(sort.map(({ field }, i) => [field, after?.values[i] ?? null]))
  const cells = index.fields.slice(fixed).map((field) => (at.get(field) ?? null) as IndexCell)
  return { cells: [...keyRange.from.cells.slice(0, fixed), ...cells], after: !descending }
}

export function makePlannedLists({ reader, tools, rankIndexes }: PlannedListDeps) {
  const { statements, readerOf } = tools

  function select(resource: Resource, where: Condition, walk: Omit<IndexWalk, 'keyRange'>): Row[] {
    const { range, descending, limit, skip } = walk
    const { index, fixed } = range
    const sort: SortKey[] = index.fields.slice(fixed).map((field) => ({ field, descending }))
    const statement = statements.list(resource, { where, sort, limit, offset: skip }, { index: index.name })
    return reader.all(statement).map(readerOf(resource))
  }

  /** Reads the rows of a range, one part of the index after another. */
  function walk({ range, keyRange, descending, skip, limit }: IndexWalk): Row[] {
    const { index, filter, residual } = range
    const { resource } = index
    const also = [...flagConditions(index, filter), ...residual]
    const segments = segmentsBetween(index, keyRange.from, keyRange.to)
    const rows: Row[] = []
    let toSkip = skip
    for (const segment of descending ? segments.reverse() : segments) {
      const where = all(segment, ...also)
      const found = select(resource, where, { range, descending, skip: toSkip, limit: limit - rows.length })
      rows.push(...found)
      if (rows.length === limit) break
      if (toSkip > 0)
        toSkip =
          found.length > 0
            ? 0
            : toSkip - (reader.first(statements.count(resource, where, { index: index.name }))?.[0] as number)
    }
    return rows
  }

  /** The rows at an offset: the rank index finds the block in which they begin. */
  function jump(rankIndex: RankIndex, { range, descending, skip, limit }: IndexWalk): Row[] {
    const { index, keyRange, filter } = range
    const { before, inside } = rankOf({ reader, tools, index }, rankIndex, range)
    const first = descending ? Math.max(0, inside - skip - limit) : skip
    const wanted = Math.min(limit, inside - skip)
    if (wanted <= 0) return []
    const block = rankIndex.blockAt(before + first, filter)
    const isInSpan = compareBounds(beginningOf(rankIndex, block), keyRange.from) >= 0
    const from = isInSpan ? beginningOf(rankIndex, block) : keyRange.from
    const skipped = isInSpan ? before + first - rankIndex.before(block, filter) : first
    const rows = walk({ range, keyRange: { from, to: keyRange.to }, descending: false, skip: skipped, limit: wanted })
    return descending ? rows.reverse() : rows
  }

  /** Call it in a current snapshot, with a plan that is not a scan. */
  return function read(resource: Resource, request: ListRequest, { kind, range, descending }: ListPlan): Row[] {
    if (!range) throw new Error('a scan has no range')
    const { limit, offset = 0, after } = request
    if (after && kind !== 'gather') {
      const bound = cursorBound(range, request, descending)
      const span = descending ? { from: range.keyRange.from, to: bound } : { from: bound, to: range.keyRange.to }
      return walk({ range, keyRange: span, descending, skip: 0, limit })
    }
    const rankIndex = kind === 'jump' && offset > walkedOffsetMax ? rankIndexes.of(range.index) : undefined
    if (rankIndex) return jump(rankIndex, { range, keyRange: range.keyRange, descending, skip: offset, limit })
    // One statement is enough: the database walks the index in the order of the list.
    return reader.all(statements.list(resource, request, { index: range.index.name })).map(readerOf(resource))
  }
}
