/**
 * Chooses the index that counts the records of a condition, and the range of it. All but the values
 * is computed once for all conditions of one shape.
 */
import { boundedCache } from '../../../base/bounded-cache.ts'
import type { Resource } from '../../../resource/catalog.ts'
import type { Condition } from '../../../resource/condition.ts'
import {
  cellOf,
  type FieldRange,
  type IndexCell,
  type IndexPredicate,
  indexPredicateOf,
  partsOf,
  type RangeLimit,
  shapeOf,
} from './index-predicate.ts'
import { firstBound, type KeyBound, lastBound } from './key-bound.ts'
import type { FlagFilter } from './rank-index.ts'
import type { KeyRange } from './rank-of.ts'
import type { RankedIndex } from './ranked-index.ts'

/**
 * A range of an index. `residual`: conditions that the index cannot decide; empty when the range
 * holds exactly the matching records.
 */
export type IndexRange = {
  readonly index: RankedIndex
  readonly keyRange: KeyRange
  readonly filter: FlagFilter
  /** How many leading fields have one value each. */
  readonly fixed: number
  readonly residual: readonly Condition[]
}

/** A range without the values of its condition, whose parts it names by their number. */
export type RangeTemplate = {
  readonly index: RankedIndex
  /** The parts that fix the leading fields. */
  readonly prefix: readonly number[]
  /** The range of the field behind them. */
  readonly range: FieldRange
  readonly flags: readonly { readonly bit: number; readonly part: number }[]
  readonly residual: readonly number[]
}

/**
 * The ranges that hold all records of a condition, one for each index: those with the least
 * residual first.
 */
export type RangeTemplates = {
  readonly outlines: readonly RangeTemplate[]
  /** Puts the values in. */
  fill(template: RangeTemplate): IndexRange
}

/**
 * Conditions consist of declared names, so few shapes occur; unusual ones can only evict others.
 */
const shapesMax = 500

/** The range of an index after the fixed fields. */
function outlineOf(
  index: RankedIndex,
  { equal, ranges, parts, rest }: IndexPredicate,
  where: readonly Condition[],
): RangeTemplate {
  const used = new Set<string>()
  const prefix: number[] = []
  for (const field of index.fields) {
    const part = equal.get(field)
    if (part === undefined) break
    prefix.push(part)
    used.add(field)
  }
  const next = index.fields[prefix.length]
  const range = next === undefined ? undefined : ranges.get(next)
  if (range) used.add(next as string)
  const flags = index.flags.flatMap((flag, i) => {
    const part = equal.get(flag)
    if (part === undefined || typeof cellOf(where[part] as Condition) !== 'boolean') return []
    used.add(flag)
    return [{ bit: 2 ** i, part }]
  })
  const left = [...parts].flatMap(([field, own]) => (used.has(field) ? [] : own))
  return { index, prefix, range: range ?? {}, flags, residual: [...left, ...rest] }
}

type TemplateValues = { readonly parts: readonly Condition[]; readonly prefix: readonly IndexCell[] }

function limitCell({ parts, prefix }: TemplateValues, { part }: RangeLimit): IndexCell[] {
  return [...prefix, part === undefined ? null : cellOf(parts[part] as Condition)]
}

function spanOf(filling: TemplateValues, { from, to }: FieldRange): KeyRange {
  const { prefix } = filling
  if (prefix.length === 0 && !from && !to) return { from: firstBound, to: lastBound }
  const lower: KeyBound = from
    ? { cells: limitCell(filling, from), after: !from.inclusive }
    : { cells: prefix, after: false }
  const upper: KeyBound = to ? { cells: limitCell(filling, to), after: to.inclusive } : { cells: prefix, after: true }
  return { from: lower, to: upper }
}

function fill({ index, prefix, range, flags, residual }: RangeTemplate, parts: readonly Condition[]): IndexRange {
  const cells = prefix.map((part) => cellOf(parts[part] as Condition))
  let [mask, bits] = [0, 0]
  for (const { bit, part } of flags) {
    mask += bit
    if (cellOf(parts[part] as Condition)) bits += bit
  }
  return {
    index,
    keyRange: spanOf({ parts, prefix: cells }, range),
    filter: { mask, bits },
    fixed: prefix.length,
    residual: residual.map((part) => parts[part] as Condition),
  }
}

export function makeRangeCovering(
  indexesOf: (resource: string) => readonly RankedIndex[],
): (resource: Resource, where: Condition) => RangeTemplates {
  const known = boundedCache<string, readonly RangeTemplate[]>({ entriesMax: shapesMax })

  function outline(resource: Resource, parts: readonly Condition[]): readonly RangeTemplate[] {
    const predicate = indexPredicateOf(resource, parts)
    return indexesOf(resource.name)
      .map((index) => outlineOf(index, predicate, parts))
      .toSorted((a, b) => a.residual.length - b.residual.length || a.index.fields.length - b.index.fields.length)
  }

  return (resource, where) => {
    const parts = partsOf(where)
    const key = `${resource.name} ${shapeOf(parts)}`
    let outlines = known.get(key)
    if (!outlines) {
      outlines = outline(resource, parts)
      known.set(key, outlines)
    }
    return { outlines, fill: (one) => fill(one, parts) }
  }
}
