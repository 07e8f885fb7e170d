/** Counts in the main thread, as far as their cost is bounded. What is not is handed back as a statement, to be run elsewhere. */
import type { Resource } from '../../../resource/catalog.ts'
import type { Condition } from '../../../resource/condition.ts'
import type { Counted } from '../../derived/totals.ts'
import type { Statement } from '../../sql/statements.ts'
import type { Outline, Stretch } from '../rank/covering.ts'
import { comparedMax } from '../texts/text-sizes.ts'
import type { ChangeLog } from '../write/change-log.ts'
import type { ReadingParts } from './lists.ts'

/** A read whose cost nobody bounds, and what its caller could ask for instead. */
export type Costly = { readonly statement: Statement; readonly advice: string | undefined }

export function isCostly(read: object): read is Costly {
  return 'statement' in read
}

export type CountRecords = (resource: Resource, where: Condition) => Counted | Costly | Promise<Counted | Costly>

export function makeCounts(parts: ReadingParts & { readonly log: ChangeLog }): CountRecords {
  const { reader, tools, log, costs, fences, sizes, tables, texts, present } = parts
  const { statements } = tools

  /** Call it in the snapshot of the count. */
  function countedBy(total: number | undefined): Counted | undefined {
    if (total === undefined) return undefined
    const last = log.lastSeen()
    return { total, includes: ({ sequence }) => sequence <= last }
  }
  const countPlainly = (resource: Resource, where: Condition, index?: string) =>
    countedBy(reader.first(statements.count(resource, where, { index }))?.[0] as number)

  /** Each of them holds exactly what is counted: the one whose fence says it first. */
  function soonest(outlines: readonly Outline[]): Outline | undefined {
    const index = fences.soonest(outlines.map((one) => one.index))
    return outlines.find((one) => one.index === index)
  }

  /** A stretch whose fence is being made is handed back; undefined where nothing bounds the cost. */
  function countAtOnce(resource: Resource, where: Condition): Counted | Stretch | undefined {
    if (tables.isSmall(resource, where)) return countPlainly(resource, where)
    const most = texts.atMost(resource, where)
    if (most !== undefined && most <= comparedMax) return countPlainly(resource, where)
    const { outlines, fill } = tables.stretchesOf(resource, where)
    const exact = soonest(outlines.filter(({ residual }) => residual.length === 0))
    if (exact) {
      const stretch = fill(exact)
      return countedBy(sizes.known(stretch)) ?? stretch
    }
    const isNarrow = (one: Stretch) => one.fixed > 0 && (sizes.known(one) ?? Infinity) < comparedMax
    const narrow = outlines.values().map(fill).find(isNarrow)
    return narrow ? countPlainly(resource, where, narrow.index.name) : undefined
  }

  const elsewhere = (resource: Resource, where: Condition): Costly => ({
    statement: statements.count(resource, where),
    advice: costs.ofCount(resource, where)?.advice,
  })

  return (resource, where) => {
    const counted = present(() => countAtOnce(resource, where))
    if (!counted) return elsewhere(resource, where)
    if (!('span' in counted)) return counted
    return sizes.get(counted, countedBy).then((total) => total ?? elsewhere(resource, where))
  }
}
