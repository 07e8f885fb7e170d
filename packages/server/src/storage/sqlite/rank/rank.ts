/** Reads at the ends of a fence's blocks: what the fence itself does not know, it looks up in the index. All reads are of one snapshot. */
import { all, type Condition, equal } from '../../../resource/condition.ts'
import { compareSorted } from '../../derived/order.ts'
import type { Tools } from '../../sql/reader.ts'
import type { Connection } from '../connection.ts'
import type { Block } from './blocks.ts'
import { type Bound, compareBounds, end, segmentsBetween } from './bound.ts'
import { everything, type Fence, type FlagFilter } from './fence.ts'
import type { FencedIndex } from './fenced-index.ts'
import type { Cell } from './narrowing.ts'

export type Span = { readonly from: Bound; readonly to: Bound }
export type Looking = { readonly reader: Connection; readonly tools: Tools; readonly index: FencedIndex }

/** The values that a filter asks of flags, as conditions. */
export function flagConditions({ flags }: FencedIndex, { mask, bits }: FlagFilter): Condition[] {
  return flags.flatMap((flag, i) => (mask & (1 << i) ? [equal(flag, (bits & (1 << i)) !== 0)] : []))
}

/** Counts entry by entry. */
function countBetween({ reader, tools, index }: Looking, { from, to }: Span, filter: FlagFilter): number {
  const flags = flagConditions(index, filter)
  const ranges = segmentsBetween(index, from, to).map((segment) => all(segment, ...flags))
  if (ranges.length === 0) return 0
  return reader.first(tools.statements.entries(index, ranges))?.[0] as number
}

type Piece = {
  readonly counts: number[]
  /** The place behind it. */
  readonly next: Bound | undefined
}

/** Adds the tally of a segment. Returns how many entries it has. */
function add(counts: number[], tally: readonly number[]): number {
  let taken = 0
  for (const [bits, count] of tally.entries()) {
    counts[bits] = (counts[bits] as number) + count
    taken += count
  }
  return taken
}

/** The shortest place between two neighbours of an index: a walk that begins there needs fewer ranges. */
export function placeBetween(left: readonly Cell[], right: readonly Cell[]): Bound {
  const differs = right.findIndex((cell, i) => compareSorted(left[i], cell) !== 0)
  return { cells: right.slice(0, differs + 1), after: false }
}

/** Counts the next `entries` ones, and finds the place behind them; undefined where the span ends. */
function takeBlock({ reader, tools, index }: Looking, span: Span, entries: number): Piece {
  const counts = new Array<number>(2 ** index.flags.length).fill(0)
  let missing = entries
  for (const segment of segmentsBetween(index, span.from, span.to)) {
    let taken = 0
    if (missing > 0) {
      taken = add(counts, reader.first(tools.statements.tally(index, segment, missing)) as number[])
      missing -= taken
    }
    if (missing > 0) continue
    const [last, next] = reader.all(tools.statements.keys(index, segment, Math.max(0, taken - 1))) as Cell[][]
    if (taken === 0 && last) return { counts, next: { cells: last, after: false } }
    if (next) return { counts, next: placeBetween(last as Cell[], next) }
  }
  return { counts, next: undefined }
}

/** The place where a block begins; behind the last one, the end of the index. */
export function beginningOf({ blocks }: Fence, block: number): Bound {
  return block < blocks.size() ? blocks.begin(block) : end
}

/** Splits the block when writes have made it too large. Returns whether it did. */
function keepSmall(looking: Looking, fence: Fence, block: number): boolean {
  const entries = fence.blocks.counts(block).reduce((sum, count) => sum + count, 0)
  if (entries <= 2 * fence.blockEntries) return false
  const to = beginningOf(fence, block + 1)
  const blocks: Block[] = []
  let begin: Bound | undefined = beginningOf(fence, block)
  while (begin) {
    const { counts, next }: Piece = takeBlock(looking, { from: begin, to }, fence.blockEntries)
    blocks.push({ begin, counts })
    begin = next
  }
  fence.split(block, blocks)
  return true
}

/** Lets a block begin at this place, which lies in it, unless so many do that most blocks have few entries. Returns the block with the place. */
function cutAt(looking: Looking, fence: Fence, { place, block }: { place: Bound; block: number }): number {
  const { blocks, blockEntries } = fence
  const begin = blocks.begin(block)
  const isFull = fence.before(blocks.size(), everything) < (blocks.size() * blockEntries) / 4
  if (isFull || compareBounds(begin, place) === 0) return block
  const counts = blocks.counts(block)
  const before = takeBlock(looking, { from: begin, to: place }, Number.MAX_SAFE_INTEGER).counts
  const behind = counts.map((count, bits) => count - (before[bits] as number))
  fence.split(block, [
    { begin, counts: before },
    { begin: place, counts: behind },
  ])
  return block + 1
}

type Located = { readonly place: Bound; readonly block: number; readonly filter: FlagFilter }

/** The number of entries before a place in this block. */
function rankIn(looking: Looking, fence: Fence, { place, block, filter }: Located): number {
  const begin = beginningOf(fence, block)
  const isBeginning = compareBounds(begin, place) === 0
  return fence.before(block, filter) + (isBeginning ? 0 : countBetween(looking, { from: begin, to: place }, filter))
}

export type Counted = {
  readonly span: Span
  readonly filter: FlagFilter
  /** How many leading fields have one value each: the places before and behind them are asked for again and again. */
  readonly fixed: number
}

/** The block in which a place lies; behind the last one for the end of the index. */
function locate(looking: Looking, fence: Fence, { place, fixed }: { place: Bound; fixed: number }): number {
  if (compareBounds(place, end) === 0) return fence.blocks.size()
  let block = fence.at(place)
  if (keepSmall(looking, fence, block)) block = fence.at(place)
  return place.cells.length <= fixed ? cutAt(looking, fence, { place, block }) : block
}

/** How many entries stand before a span and in it, exactly. */
export function measure(
  looking: Looking,
  fence: Fence,
  { span, filter, fixed }: Counted,
): { before: number; inside: number } {
  const { from, to } = span
  if (compareBounds(from, to) > 0) return { before: 0, inside: 0 }
  const first = locate(looking, fence, { place: from, fixed })
  const last = locate(looking, fence, { place: to, fixed }) // it changes no block before that of `from`
  const before = rankIn(looking, fence, { place: from, block: first, filter })
  if (last === first) return { before, inside: countBetween(looking, span, filter) }
  return { before, inside: rankIn(looking, fence, { place: to, block: last, filter }) - before }
}
