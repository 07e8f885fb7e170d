/**
 * Counts in the main thread, as far as the cost is bounded. Any other count is returned as a
 * statement for a read thread.
 */
import type { Resource } from '../../../resource/catalog.ts'
import type { Condition } from '../../../resource/condition.ts'
import type { CountedTotal } from '../../derived/totals-cache.ts'
import type { Statement } from '../../sql/statements.ts'
import type { IndexRange, RangeTemplate } from '../rank-index/range-covering.ts'
import { comparedMax, lookedUpMax } from '../texts/text-sizes.ts'
import type { SqliteChangeLog } from '../write/change-log.ts'
import type { ListsDeps } from './list-reads.ts'

/** A read of unbounded cost, and a cheaper request that its caller can make. */
export type CostlyRead = { readonly statement: Statement; readonly advice: string | undefined }

export function isCostly(read: object): read is CostlyRead {
  return 'statement' in read
}

export type CountRecords = (
  resource: Resource,
  where: Condition,
) => CountedTotal | CostlyRead | Promise<CountedTotal | CostlyRead>

export function makeCounts(parts: ListsDeps & { readonly log: SqliteChangeLog }): CountRecords {
  const { reader, tools, log, costs, rankIndexes, sizes, tables, texts, present } = parts
  const { statements } = tools

  /** Call it in the snapshot of the count. */
  function countedBy(total: number | undefined): CountedTotal | undefined {
    if (total === undefined) return undefined
    const last = log.lastSeen()
    return { total, includes: ({ sequence }) => sequence <= last }
  }
  const countPlainly = (resource: Resource, where: Condition, index?: string) =>
    countedBy(reader.first(statements.count(resource, where, { index }))?.[0] as number)

  /**
   * Each range holds exactly the counted records: returns the one whose rank index is ready first.
   */
  function soonest(outlines: readonly RangeTemplate[]): RangeTemplate | undefined {
    const index = rankIndexes.soonest(outlines.map((one) => one.index))
    return outlines.find((one) => one.index === index)
  }

  /**
   * Returns a range whose rank index is still being built; undefined where the cost has no bound.
   */
  function countAtOnce(resource: Resource, where: Condition): CountedTotal | IndexRange | undefined {
    if (tables.isSmall(resource, where)) return countPlainly(resource, where)
    const exact = countedBy(texts.exactly(resource, where))
    if (exact) return exact
    const most = texts.atMost(resource, where)
    if (most !== undefined && most <= comparedMax)
      return countPlainly(resource, most <= lookedUpMax ? texts.byWords(resource, where) : where)
    const { outlines, fill } = tables.rangesOf(resource, where)
    const whole = soonest(outlines.filter(({ residual }) => residual.length === 0))
    if (whole) {
      const range = fill(whole)
      return countedBy(sizes.known(range)) ?? range
    }
    const isNarrow = (one: IndexRange) => one.fixed > 0 && (sizes.known(one) ?? Infinity) < comparedMax
    const narrow = outlines.values().map(fill).find(isNarrow)
    return narrow ? countPlainly(resource, where, narrow.index.name) : undefined
  }

  const elsewhere = (resource: Resource, where: Condition): CostlyRead => ({
    statement: statements.count(resource, where),
    advice: costs.ofCount(resource, where)?.advice,
  })

  return (resource, where) => {
    const counted = present(() => countAtOnce(resource, where))
    if (!counted) return elsewhere(resource, where)
    if (!('keyRange' in counted)) return counted
    return sizes.get(counted, countedBy).then((total) => total ?? elsewhere(resource, where))
  }
}
