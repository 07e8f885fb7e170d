/**
 * The fences of a database: each is made in quiet turns or when somebody needs it, a slice at a time, and then moves with every change.
 * While it is made, it is right up to the place that it has reached. A change without images makes the fences of its resource anew.
 */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Resource } from '../../../resource/catalog.ts'
import type { Change, ChangeReader, RowImage } from '../../changes.ts'
import { compareSorted } from '../../derived/order.ts'
import type { Tools } from '../../sql/reader.ts'
import type { Connection } from '../connection.ts'
import { type Bound, compareBounds, end, start as startOfIndex } from './bound.ts'
import { blockEntriesFor, type Entry, everything, type Fence, makeFence } from './fence.ts'
import type { FencedIndex } from './fenced-index.ts'
import type { Cell } from './narrowing.ts'
import { takeBlock } from './rank.ts'
import { makeRowLag, type RowLag } from './row-lag.ts'

/** How long one slice of making a fence may take. */
const sliceMs = 1
/** A fence whose blocks hold a smaller share of their entries on average is made anew: deletes empty blocks, and nothing joins them. */
const sparseShare = 1 / 8
const sparseBlocks = 64

export type Fences = ChangeReader & {
  /** The fence over this index; undefined while it is being made, which begins with the first call. */
  of(index: FencedIndex): Fence | undefined
  /** How far the rows of a finished fence are behind the order of its index; see `row-lag.ts`. */
  lagOf(index: FencedIndex): number
  /** Whether it is there or being made. */
  has(index: FencedIndex): boolean
  /** Resolves when the fence is there; undefined when it could not be made. */
  made(index: FencedIndex): Promise<Fence | undefined>
  /** The same for one that nobody has asked for yet: it is made while there is little else to do. */
  madeQuietly(index: FencedIndex): Promise<void>
}

type Making = {
  readonly fence: Fence
  readonly lag: RowLag
  /** Entries before this place are counted. Undefined when all are. */
  reached: Bound | undefined
  /** Whether somebody waits for it. */
  isWanted: boolean
  readonly done: Promise<boolean>
}

/** A turn that takes longer has requests in it. */
const idleTurnMs = 0.3
const busyPauseMs = 20

/** The next turn when nothing else is to be done, or one after a pause. */
async function quietTurn(): Promise<void> {
  const sinceMs = performance.now()
  await turn()
  if (performance.now() - sinceMs > idleTurnMs) await sleep(busyPauseMs, undefined, { ref: false })
}

type Parts = {
  readonly reader: Connection
  readonly tools: Tools
  /** Runs the work in one snapshot, with every change that the snapshot holds delivered before. */
  readonly present: <T>(work: () => T) => T
  /** The fenced indexes of a resource. */
  readonly indexesOf: (resource: string) => readonly FencedIndex[]
  /** At least the number of rows. */
  readonly rowsMax: (resource: Resource) => number
}

function entryOf({ fields, flags }: FencedIndex, row: Readonly<Record<string, unknown>>): Entry {
  const key = fields.map((field) => (row[field] ?? null) as Cell)
  return { key, flags: flags.reduce((bits, flag, i) => bits + (row[flag] ? 2 ** i : 0), 0) }
}

/** Of a change by another process only what it was asked to watch is known, and only of a single record. */
function imagesOf(
  { fields, flags }: FencedIndex,
  { images, detail, records }: Change,
): readonly RowImage[] | undefined {
  if (images || !detail || records.length !== 1) return images
  const { before = null, after = null } = detail
  const isTold = [before, after].every((side) => !side || [...fields, ...flags].every((name) => name in side))
  return isTold ? [{ before, after }] : undefined
}

/** Without images, only the fields say which indexes stay as they are. */
function isTouched({ fields, flags }: FencedIndex, change: Change): boolean {
  return !change.fields || change.fields.some((field) => fields.includes(field) || flags.includes(field))
}

function isSame(a: Entry, b: Entry): boolean {
  return a.flags === b.flags && a.key.every((cell, i) => compareSorted(cell, b.key[i]) === 0)
}

function makeSlice({ reader, tools }: Pick<Parts, 'reader' | 'tools'>) {
  /** Counts blocks for about a millisecond. Returns whether there are more. */
  return function slice(index: FencedIndex, making: Making): boolean {
    const until = performance.now() + sliceMs
    while (making.reached && performance.now() < until) {
      const { reached, fence } = making
      const { counts, rows, ends, next } = takeBlock(
        { reader, tools, index },
        { from: reached, to: end },
        fence.blockEntries,
      )
      making.lag.addBlock(ends, rows)
      fence.append({ begin: reached, counts })
      making.reached = next
    }
    return making.reached !== undefined
  }
}

export function makeFences({ reader, tools, present, indexesOf, rowsMax }: Parts): Fences {
  const known = new Map<FencedIndex, Making>()
  const slice = makeSlice({ reader, tools })

  function start(index: FencedIndex, isWanted: boolean): Making {
    const making: Making = {
      fence: makeFence(blockEntriesFor(rowsMax(index.resource))),
      lag: makeRowLag(index),
      reached: startOfIndex,
      isWanted,
      done: turn().then(async () => {
        while (known.get(index) === making && present(() => slice(index, making)))
          await (making.isWanted ? turn() : quietTurn())
        return known.get(index) === making
      }),
    }
    known.set(index, making)
    making.done.catch(() => known.delete(index)) // the next reader tries again
    return making
  }

  function move({ fence, reached }: Making, entry: Entry, by: 1 | -1): void {
    if (!reached || compareBounds({ cells: entry.key, after: false }, reached) < 0) fence.move(entry, by)
  }

  function follow(index: FencedIndex, making: Making, image: RowImage): void {
    const { before, after } = image
    making.lag.follow(image, making.reached !== undefined)
    const left = before && entryOf(index, before)
    const come = after && entryOf(index, after)
    if (left && come && isSame(left, come)) return
    if (left) move(making, left, -1)
    if (come) move(making, come, 1)
  }

  function apply(change: Change): void {
    for (const index of indexesOf(change.resource)) {
      const making = known.get(index)
      if (!making) continue
      const images = imagesOf(index, change)
      if (images) for (const image of images) follow(index, making, image)
      else if (isTouched(index, change)) known.delete(index)
    }
  }

  function makingOf(index: FencedIndex): Making {
    const making = known.get(index)
    if (!making) return start(index, true)
    making.isWanted = true
    const { fence, reached } = making
    const entries = fence.before(fence.blocks.length, everything)
    const isSparse =
      fence.blocks.length > sparseBlocks && entries < fence.blocks.length * fence.blockEntries * sparseShare
    return !reached && isSparse ? start(index, true) : making
  }

  return {
    of(index) {
      const making = makingOf(index)
      return making.reached ? undefined : making.fence
    },
    lagOf(index) {
      const making = known.get(index)
      return !making || making.reached ? Infinity : making.lag.ms()
    },
    has: (index) => known.has(index),
    async made(index) {
      const making = makingOf(index)
      await making.done
      return known.get(index) === making ? making.fence : undefined
    },
    async madeQuietly(index) {
      await (known.get(index) ?? start(index, false)).done
    },
    apply(changes) {
      for (const change of changes) apply(change)
    },
    reset() {
      known.clear()
    },
  }
}
