/** Reads a list by its plan, in one snapshot on the main thread. */
import type { Resource, SortKey } from '../../../resource/catalog.ts'
import { all, type Condition } from '../../../resource/condition.ts'
import type { Tools } from '../../sql/reader.ts'
import type { ListRequest, Row } from '../../storage.ts'
import type { Connection } from '../connection.ts'
import { type Bound, compareBounds, segmentsBetween } from '../rank/bound.ts'
import type { Stretch } from '../rank/covering.ts'
import type { Fence } from '../rank/fence.ts'
import type { Fences } from '../rank/fences.ts'
import type { Cell } from '../rank/narrowing.ts'
import { beginningOf, flagConditions, measure, type Span } from '../rank/rank.ts'
import type { ListPlan } from './list-plan.ts'

type Parts = { readonly reader: Connection; readonly tools: Tools; readonly fences: Fences }
type Walk = {
  readonly stretch: Stretch
  readonly span: Span
  readonly descending: boolean
  readonly skip: number
  readonly limit: number
}

/** An offset up to this is walked: a fence would walk about as far inside a block. */
const walkedOffsetMax = 40

/** Where a cursor stands in the index: its values for the fields behind the fixed ones. */
function cursorBound({ index, fixed, span }: Stretch, { sort, after }: ListRequest, descending: boolean): Bound {
  const at = new Map(sort.map(({ field }, i) => [field, after?.values[i] ?? null]))
  const cells = index.fields.slice(fixed).map((field) => (at.get(field) ?? null) as Cell)
  return { cells: [...span.from.cells.slice(0, fixed), ...cells], after: !descending }
}

export function makePlannedLists({ reader, tools, fences }: Parts) {
  const { statements, readerOf } = tools

  function select(resource: Resource, where: Condition, walk: Omit<Walk, 'span'>): Row[] {
    const { stretch, descending, limit, skip } = walk
    const { index, fixed } = stretch
    const sort: SortKey[] = index.fields.slice(fixed).map((field) => ({ field, descending }))
    const statement = statements.list(resource, { where, sort, limit, offset: skip }, { index: index.name })
    return reader.all(statement).map(readerOf(resource))
  }

  /** Reads the rows of a span, one range of the index after another. */
  function walk({ stretch, span, descending, skip, limit }: Walk): Row[] {
    const { index, filter, residual } = stretch
    const { resource } = index
    const also = [...flagConditions(index, filter), ...residual]
    const segments = segmentsBetween(index, span.from, span.to)
    const rows: Row[] = []
    let toSkip = skip
    for (const segment of descending ? segments.reverse() : segments) {
      const where = all(segment, ...also)
      const found = select(resource, where, { stretch, descending, skip: toSkip, limit: limit - rows.length })
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

  /** The rows at an offset: the fence says in which block they begin. */
  function jump(fence: Fence, { stretch, descending, skip, limit }: Walk): Row[] {
    const { index, span, filter } = stretch
    const { before, inside } = measure({ reader, tools, index }, fence, stretch)
    const first = descending ? Math.max(0, inside - skip - limit) : skip
    const wanted = Math.min(limit, inside - skip)
    if (wanted <= 0) return []
    const block = fence.blockAt(before + first, filter)
    const isInSpan = compareBounds(beginningOf(fence, block), span.from) >= 0
    const from = isInSpan ? beginningOf(fence, block) : span.from
    const skipped = isInSpan ? before + first - fence.before(block, filter) : first
    const rows = walk({ stretch, span: { from, to: span.to }, descending: false, skip: skipped, limit: wanted })
    return descending ? rows.reverse() : rows
  }

  /** Call it in a present snapshot, with a plan that is not a scan. */
  return function read(resource: Resource, request: ListRequest, { kind, stretch, descending }: ListPlan): Row[] {
    if (!stretch) throw new Error('a scan has no stretch')
    const { limit, offset = 0, after } = request
    if (after && kind !== 'gather') {
      const bound = cursorBound(stretch, request, descending)
      const span = descending ? { from: stretch.span.from, to: bound } : { from: bound, to: stretch.span.to }
      return walk({ stretch, span, descending, skip: 0, limit })
    }
    const fence = kind === 'jump' && offset > walkedOffsetMax ? fences.of(stretch.index) : undefined
    if (fence) return jump(fence, { stretch, span: stretch.span, descending, skip: offset, limit })
    // One statement is enough: the database walks the index in the order of the list.
    return reader.all(statements.list(resource, request, { index: stretch.index.name })).map(readerOf(resource))
  }
}
