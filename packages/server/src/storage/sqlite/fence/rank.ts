/** Reads at the ends of a fence's blocks: what the fence itself does not know, it looks up in the index. All reads are of one snapshot. */
import { all, type Condition, equal } from '../../../resource/condition.ts'
import { compareSorted } from '../../derived/order.ts'
import type { Tools } from '../../sql/reader.ts'
import type { Connection } from '../connection.ts'
import { type Bound, end, segmentsBetween } from './bound.ts'
import { type Block, blockEntries, type Fence, type FlagFilter, sizeOf } from './fence.ts'
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
  let sum = 0
  for (const segment of segmentsBetween(index, from, to)) {
    const statement = tools.statements.count(index.resource, all(segment, ...flags), { index: index.name })
    sum += reader.first(statement)?.[0] as number
  }
  return sum
}

export type Piece = {
  readonly counts: number[]
  /** The lowest and the highest row number. */
  readonly rows: readonly [number, number]
  /** The least and the greatest value of the index's first field. */
  readonly ends: readonly [Cell, Cell]
  readonly next: readonly Cell[] | undefined
}
type Tally = readonly [bits: number, count: number, lowestRow: number, highestRow: number, least: Cell, greatest: Cell]

type Draft = { counts: number[]; rows: [number, number]; ends: readonly [Cell, Cell] }

/** Adds the tally of a segment. Returns how many entries it has. */
function add(draft: Draft, tally: readonly Tally[]): number {
  let taken = 0
  for (const [bits, count, lowest, highest, least, greatest] of tally) {
    const [low, high] = draft.rows[1] === 0 ? [least, greatest] : draft.ends
    draft.ends = [compareSorted(least, low) < 0 ? least : low, compareSorted(greatest, high) > 0 ? greatest : high]
    draft.rows = [Math.min(draft.rows[0], lowest), Math.max(draft.rows[1], highest)]
    draft.counts[bits] = (draft.counts[bits] as number) + count
    taken += count
  }
  return taken
}

/** Counts the next entries, and finds the key of the one behind them; undefined where the span ends. */
export function takeBlock({ reader, tools, index }: Looking, span: Span): Piece {
  const counts = new Array<number>(2 ** index.flags.length).fill(0)
  const draft: Draft = { counts, rows: [Infinity, 0], ends: [null, null] }
  let missing = blockEntries
  for (const segment of segmentsBetween(index, span.from, span.to)) {
    let taken = 0
    if (missing > 0) {
      taken = add(draft, reader.all(tools.statements.tally(index, segment, missing)) as unknown as Tally[])
      missing -= taken
    }
    const next = missing > 0 ? undefined : reader.first(tools.statements.keyAt(index, segment, taken))
    if (next) return { ...draft, next: next as Cell[] }
  }
  return { ...draft, next: undefined }
}

/** The place where a block begins; behind the last one, the end of the index. */
export function beginningOf({ blocks }: Fence, block: number): Bound {
  const at = blocks[block]
  return at ? { cells: at.key, after: false } : end
}

function spanOf(fence: Fence, block: number): Span {
  return { from: beginningOf(fence, block), to: beginningOf(fence, block + 1) }
}

/** Splits the block when writes have made it too large. */
function keepSmall(looking: Looking, fence: Fence, block: number): void {
  if (block < 0 || sizeOf(fence.blocks[block] as Block) <= 2 * blockEntries) return
  const { from, to } = spanOf(fence, block)
  const blocks: Block[] = []
  let key: readonly Cell[] | undefined = from.cells
  while (key) {
    const { counts, next }: Piece = takeBlock(looking, { from: { cells: key, after: false }, to })
    blocks.push({ key, counts })
    key = next
  }
  fence.split(block, blocks)
}

/** The exact number of entries between two places. */
export function countSpan(
  looking: Looking,
  fence: Fence,
  { span, filter }: { span: Span; filter: FlagFilter },
): number {
  keepSmall(looking, fence, fence.find(span.to) - 1)
  keepSmall(looking, fence, fence.find(span.from) - 1)
  const isFromStart = span.from.cells.length === 0 && !span.from.after
  const isToEnd = span.to.cells.length === 0 && span.to.after
  const first = isFromStart ? 0 : fence.find(span.from)
  const last = isToEnd ? fence.blocks.length : fence.find(span.to) - 1
  if (!isFromStart && !isToEnd && first > last) return countBetween(looking, span, filter)
  const whole = last > first ? fence.before(last, filter) - fence.before(first, filter) : 0
  const head = isFromStart
    ? 0
    : countBetween(
        looking,
        { from: span.from, to: first < fence.blocks.length ? beginningOf(fence, first) : span.to },
        filter,
      )
  const tail = isToEnd ? 0 : countBetween(looking, { from: beginningOf(fence, last), to: span.to }, filter)
  return head + whole + tail
}
