/**
 * The rank indexes of a database. Each is built slice by slice, when the process is idle or a
 * request needs it, and then updated with every change. A partly built one is exact up to its end.
 * A change without images discards the rank indexes of its resource.
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
 * Below this average fill of its blocks a rank index is built again: deletes empty blocks, and
 * nothing joins them.
 */
const sparseShare = 1 / 8
const sparseBlocks = 64

export type RankIndexes = ChangeReader & {
  /**
   * The rank index over this index; undefined while it is being built. The first call starts the
   * build, which runs while the process is idle.
   */
  of(index: RankedIndex): RankIndex | undefined
  /** How far the row order of a complete rank index is behind its own order; see `row-lag.ts`. */
  lagOf(index: RankedIndex): number
  /** Whether it is complete or being built. */
  has(index: RankedIndex): boolean
  /** Of several indexes, the one whose rank index is complete, or will be first. */
  soonest(indexes: readonly RankedIndex[]): RankedIndex | undefined
  /**
   * Builds the rank index at once, and resolves when it is complete; undefined when the build
   * failed.
   */
  made(index: RankedIndex): Promise<RankIndex | undefined>
  /** Resolves when it is complete or has failed; the build waits for other builds. */
  madeQuietly(index: RankedIndex): Promise<void>
}

/** A longer turn of the event loop has requests in it. */
const idleTurnMs = 0.3
const lookMs = 100

const pause = (ms: number) => sleep(ms, undefined, { ref: false })

/**
 * Waits for the next idle turn, or for a turn after a pause as long as the work before it. So a
 * build takes at most half of the time.
 */
async function quietTurn(workedMs: number): Promise<void> {
  const sinceMs = performance.now()
  await turn()
  if (performance.now() - sinceMs > idleTurnMs) await pause(workedMs)
}

/**
 * A pause alone does not keep the process alive, but a wait for a rank index does: otherwise a
 * command would end in a pause.
 */
async function heldUntil(done: Promise<boolean>): Promise<void> {
  const holding = setInterval(() => undefined, lookMs)
  await done.finally(() => clearInterval(holding))
}

type KnownIndex = RankIndexBuild & {
  /** Whether the build completed. */
  readonly done: Promise<boolean>
}

type RankIndexesDeps = RankIndexBuildDeps & {
  /** The ranked indexes of a resource. */
  readonly indexesOf: (resource: string) => readonly RankedIndex[]
  /** At least the number of rows. */
  readonly rowsMax: (resource: Resource) => number
}

function entryOf({ fields, flags }: RankedIndex, row: Readonly<Record<string, unknown>>): IndexEntry {
  const key = fields.map((field) => (row[field] ?? null) as IndexCell)
  return { key, flags: flags.reduce((bits, flag, i) => bits + (row[flag] ? 2 ** i : 0), 0) }
}

/** A change of another process has only the watched fields, and only for a single record. */
function imagesOf(
  { fields, flags }: RankedIndex,
  { images, detail, records }: Change,
): readonly RowImage[] | undefined {
  if (images || !detail || records.length !== 1) return images
  const { before = null, after = null } = detail
  const isTold = [before, after].every((side) => !side || [...fields, ...flags].every((name) => name in side))
  return isTold ? [{ before, after }] : undefined
}

/** Without images, only the fields show which indexes stay as they are. */
function isTouched({ fields, flags }: RankedIndex, change: Change): boolean {
  return !change.fields || change.fields.some((field) => fields.includes(field) || flags.includes(field))
}

function isSame(a: IndexEntry, b: IndexEntry): boolean {
  return a.flags === b.flags && a.key.every((cell, i) => compareSorted(cell, b.key[i]) === 0)
}

/** Starts builds and notes them in `known`; a build whose entry is gone stops. */
function makeStart(deps: RankIndexesDeps, known: Map<RankedIndex, KnownIndex>): (index: RankedIndex) => KnownIndex {
  const isGoing = (index: RankedIndex, making: RankIndexBuild) => known.get(index) === making

  /** Builds that no request waits for run one after another, and pause while requests run. */
  async function ownTurn(index: RankedIndex, making: KnownIndex, workedMs: number): Promise<void> {
    const isNext = () => making === known.values().find(({ reached, isWanted }) => reached && !isWanted)
    while (isGoing(index, making) && !making.isWanted && !isNext()) await pause(lookMs)
    await (making.isWanted ? turn() : quietTurn(workedMs))
  }
  /** False where a change without images ended it. */
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
