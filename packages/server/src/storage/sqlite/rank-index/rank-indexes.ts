/**
 * The fences of a database: each is made in quiet turns or when somebody needs it, a slice at a
 * time, and then moves with every change. While it is made, it is right up to the place that it has
 * reached. A change without images makes the fences of its resource anew.
 */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Resource } from '../../../resource/catalog.ts'
import type { Change, ChangeReader, RowImage } from '../../changes.ts'
import { compareSorted } from '../../derived/sort-order.ts'
import {
  applyEntryChange,
  beginRankIndexBuild,
  nextSlice,
  type RankIndexBuild,
  type RankIndexBuildDeps,
} from './build-rank-index.ts'
import type { IndexCell } from './index-predicate.ts'
import { blockEntriesFor, everything, type IndexEntry, type RankIndex } from './rank-index.ts'
import type { RankedIndex } from './ranked-index.ts'

/**
 * A fence whose blocks hold a smaller share of their entries on average is made anew: deletes empty
 * blocks, and nothing joins them.
 */
const sparseShare = 1 / 8
const sparseBlocks = 64

export type RankIndexes = ChangeReader & {
  /**
   * The fence over this index; undefined while it is being made, which begins with the first call,
   * while there is little else to do.
   */
  of(index: RankedIndex): RankIndex | undefined
  /** How far the rows of a finished fence are behind the order of its index; see `row-lag.ts`. */
  lagOf(index: RankedIndex): number
  /** Whether it is there or being made. */
  has(index: RankedIndex): boolean
  /** Of several indexes the one whose fence is there, or will be first. */
  soonest(indexes: readonly RankedIndex[]): RankedIndex | undefined
  /**
   * Resolves when the fence is there, and has it made at once; undefined when it could not be made.
   */
  made(index: RankedIndex): Promise<RankIndex | undefined>
  /** Resolves when it is there or could not be made, and waits for others. */
  madeQuietly(index: RankedIndex): Promise<void>
}

/** A turn that takes longer has requests in it. */
const idleTurnMs = 0.3
const lookMs = 100

const pause = (ms: number) => sleep(ms, undefined, { ref: false })

/**
 * The next turn when nothing else is to be done, or one after a pause as long as the work before
 * it: half of the time, at most.
 */
async function quietTurn(workedMs: number): Promise<void> {
  const sinceMs = performance.now()
  await turn()
  if (performance.now() - sinceMs > idleTurnMs) await pause(workedMs)
}

/**
 * Pauses hold no process; whoever waits for a fence does, or a command would end in one of them.
 */
async function heldUntil(done: Promise<boolean>): Promise<void> {
  const holding = setInterval(() => undefined, lookMs)
  await done.finally(() => clearInterval(holding))
}

type KnownIndex = RankIndexBuild & {
  /** Whether it was made to its end. */
  readonly done: Promise<boolean>
}

type RankIndexesDeps = RankIndexBuildDeps & {
  /** The fenced indexes of a resource. */
  readonly indexesOf: (resource: string) => readonly RankedIndex[]
  /** At least the number of rows. */
  readonly rowsMax: (resource: Resource) => number
}

function entryOf({ fields, flags }: RankedIndex, row: Readonly<Record<string, unknown>>): IndexEntry {
  const key = fields.map((field) => (row[field] ?? null) as IndexCell)
  return { key, flags: flags.reduce((bits, flag, i) => bits + (row[flag] ? 2 ** i : 0), 0) }
}

/**
 * Of a change by another process only what it was asked to watch is known, and only of a single
 * record.
 */
function imagesOf(
  { fields, flags }: RankedIndex,
  { images, detail, records }: Change,
): readonly RowImage[] | undefined {
  if (images || !detail || records.length !== 1) return images
  const { before = null, after = null } = detail
  const isTold = [before, after].every((side) => !side || [...fields, ...flags].every((name) => name in side))
  return isTold ? [{ before, after }] : undefined
}

/** Without images, only the fields say which indexes stay as they are. */
function isTouched({ fields, flags }: RankedIndex, change: Change): boolean {
  return !change.fields || change.fields.some((field) => fields.includes(field) || flags.includes(field))
}

function isSame(a: IndexEntry, b: IndexEntry): boolean {
  return a.flags === b.flags && a.key.every((cell, i) => compareSorted(cell, b.key[i]) === 0)
}

/** Makes fences and notes them in `known`; one that is no longer there is not made to its end. */
function makeStart(deps: RankIndexesDeps, known: Map<RankedIndex, KnownIndex>): (index: RankedIndex) => KnownIndex {
  const isGoing = (index: RankedIndex, making: RankIndexBuild) => known.get(index) === making

  /**
   * Those that nobody waits for are made one after another, and none of them while there is much to
   * do.
   */
  async function ownTurn(index: RankedIndex, making: KnownIndex, workedMs: number): Promise<void> {
    const isNext = () => making === known.values().find(({ reached, isWanted }) => reached && !isWanted)
    while (isGoing(index, making) && !making.isWanted && !isNext()) await pause(lookMs)
    await (making.isWanted ? turn() : quietTurn(workedMs))
  }
  /** False where a change that nobody can follow ended it. */
  async function finish(index: RankedIndex, making: KnownIndex): Promise<boolean> {
    let workedMs = 0
    while (making.reached && isGoing(index, making)) {
      await ownTurn(index, making, workedMs)
      const beganMs = performance.now()
      const adopt = await nextSlice(deps, index, making)
      workedMs = performance.now() - beganMs
      while (isGoing(index, making) && !adopt()) await turn()
    }
    return isGoing(index, making)
  }

  return (index) => {
    const making = beginRankIndexBuild(index, blockEntriesFor(deps.rowsMax(index.resource)))
    const one: KnownIndex = Object.assign(making, { done: turn().then(() => finish(index, one)) })
    known.set(index, one)
    one.done.catch(() => known.delete(index)) // the next reader tries again
    return one
  }
}

export function makeRankIndexes(deps: RankIndexesDeps): RankIndexes {
  const { indexesOf } = deps
  const known = new Map<RankedIndex, KnownIndex>()
  const start = makeStart(deps, known)

  function follow(
    index: RankedIndex,
    making: RankIndexBuild,
    { sequence, image }: { sequence: number; image: RowImage },
  ): void {
    const { before, after } = image
    making.lag.follow(image, making.reached !== undefined)
    const left = before && entryOf(index, before)
    const come = after && entryOf(index, after)
    if (left && come && isSame(left, come)) return
    if (left) applyEntryChange(making, { sequence, entry: left, by: -1 })
    if (come) applyEntryChange(making, { sequence, entry: come, by: 1 })
  }

  function apply(change: Change): void {
    const { sequence } = change
    for (const index of indexesOf(change.resource)) {
      const making = known.get(index)
      if (!making) continue
      const images = imagesOf(index, change)
      if (images) for (const image of images) follow(index, making, { sequence, image })
      else if (isTouched(index, change)) known.delete(index)
    }
  }

  function makingOf(index: RankedIndex): KnownIndex {
    const making = known.get(index)
    if (!making) return start(index)
    const { rankIndex, reached } = making
    const blocks = rankIndex.blocks.size()
    const entries = rankIndex.before(blocks, everything)
    const isSparse = blocks > sparseBlocks && entries < blocks * rankIndex.blockEntries * sparseShare
    return !reached && isSparse ? start(index) : making
  }

  return {
    of(index) {
      const making = makingOf(index)
      return making.reached ? undefined : making.rankIndex
    },
    lagOf(index) {
      const making = known.get(index)
      return !making || making.reached ? Infinity : making.lag.ms()
    },
    has: (index) => known.has(index),
    soonest(indexes) {
      const isThere = (index: RankedIndex) => known.has(index) && !known.get(index)?.reached
      return indexes.find(isThere) ?? known.keys().find((index) => indexes.includes(index)) ?? indexes[0]
    },
    async made(index) {
      const making = makingOf(index)
      making.isWanted = true
      await heldUntil(making.done)
      return known.get(index) === making ? making.rankIndex : undefined
    },
    async madeQuietly(index) {
      await makingOf(index).done
    },
    apply(changes) {
      for (const change of changes) apply(change)
    },
    reset() {
      known.clear()
    },
  }
}
