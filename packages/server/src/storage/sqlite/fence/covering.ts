/** Which index counts the records of a condition, and between which of its places they lie. */
import type { Resource } from '../../../resource/catalog.ts'
import type { Condition } from '../../../resource/condition.ts'
import { type Bound, end, start } from './bound.ts'
import type { FlagFilter } from './fence.ts'
import type { FencedIndex } from './fenced-index.ts'
import { type Cell, type Limit, type Narrowing, narrowingOf, type Range } from './narrowing.ts'
import type { Span } from './rank.ts'

/** A stretch of an index. `residual`: what the index cannot tell; empty when the stretch holds exactly the records that are meant. */
export type Stretch = {
  readonly index: FencedIndex
  readonly span: Span
  readonly filter: FlagFilter
  /** How many leading fields have one value each. */
  readonly fixed: number
  readonly residual: readonly Condition[]
}

function lower(prefix: readonly Cell[], limit: Limit | undefined): Bound {
  return limit ? { cells: [...prefix, limit.value], after: !limit.inclusive } : { cells: prefix, after: false }
}

function upper(prefix: readonly Cell[], limit: Limit | undefined): Bound {
  return limit ? { cells: [...prefix, limit.value], after: limit.inclusive } : { cells: prefix, after: true }
}

function spanFor(prefix: readonly Cell[], { from, to }: Range): Span {
  if (prefix.length === 0 && !from && !to) return { from: start, to: end }
  return { from: lower(prefix, from), to: upper(prefix, to) }
}

/** The stretch of an index that holds all records of a condition; a range narrows it behind the fields that are fixed. */
function stretchOf(index: FencedIndex, { equal, ranges, parts, rest }: Narrowing): Stretch {
  const used = new Set<string>()
  const prefix: Cell[] = []
  for (const field of index.fields) {
    const value = equal.get(field)
    if (value === undefined) break
    prefix.push(value)
    used.add(field)
  }
  const next = index.fields[prefix.length]
  const range = next === undefined ? undefined : ranges.get(next)
  if (range) used.add(next as string)
  let [mask, bits] = [0, 0]
  for (const [i, flag] of index.flags.entries()) {
    const value = equal.get(flag)
    if (typeof value !== 'boolean') continue
    used.add(flag)
    mask += 2 ** i
    if (value) bits += 2 ** i
  }
  const left = [...parts].flatMap(([field, conditions]) => (used.has(field) ? [] : conditions))
  return {
    index,
    span: spanFor(prefix, range ?? {}),
    filter: { mask, bits },
    fixed: prefix.length,
    residual: [...left, ...rest],
  }
}

/** One stretch for each index, those that leave least to look up first. */
export function stretchesOf(indexes: readonly FencedIndex[], resource: Resource, where: Condition): Stretch[] {
  const narrowing = narrowingOf(resource, where)
  return indexes
    .map((index) => stretchOf(index, narrowing))
    .toSorted((a, b) => a.residual.length - b.residual.length || a.index.fields.length - b.index.fields.length)
}
