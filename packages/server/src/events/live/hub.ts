/**
 * The hub of one process. It reads the kept log once for all live streams, and gives whole
 * transactions to them, in their order. It reads only while a stream is open.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../limits.ts'
import type { Changes } from '../../storage/changes.ts'
import { comparePlaces, type LogPlace } from '../../storage/derived/kept-log.ts'
import { lostBy } from '../lost.ts'
import { changesAtOnce, type FeedParts } from '../read-feed.ts'
import type { LiveReader, SealPlace } from './live-reader.ts'
import { printId } from './print-live.ts'
import { readAlone } from './read-alone.ts'
import { makeReaderTelling } from './tell-readers.ts'

export type Hub = {
  /**
   * Reads on from the reader's place until it is with the others, or its stream ends. Throws
   * `LostPlace`.
   */
  join(reader: LiveReader): Promise<void>
  leave(reader: LiveReader): void
  /** The place up to which a reader has had all events. */
  placeOf(reader: LiveReader): LogPlace
}

type HubDeps = {
  readonly feed: FeedParts
  readonly changes: Pick<Changes, 'follow'>
  readonly seal: SealPlace
  readonly report: (error: unknown) => void
}

const retryMs = 1_000

function makeBell({ follow }: Pick<Changes, 'follow'>) {
  let ring = Promise.withResolvers<void>()
  let rung = false
  const poke = () => {
    rung = true
    ring.resolve()
  }
  follow({ apply: poke, reset: poke })
  return {
    poke,
    /** Resolves at once where a change came since the last call. */
    async next(ms: number): Promise<void> {
      if (!rung) {
        const timer = setTimeout(poke, ms)
        await ring.promise
        clearTimeout(timer)
      }
      rung = false
      ring = Promise.withResolvers()
    },
  }
}

export function makeHub({ feed, changes, seal, report }: HubDeps): Hub {
  const readers = makeReaderTelling({ feed, seal, report })
  const bell = makeBell(changes)
  /** Those that catch up, too. */
  const open = new Set<LiveReader>()
  /** Where the hub reads on. The changes before it have been delivered up to `done`. */
  let begun: LogPlace | undefined
  let done: LogPlace = ''
  let turned = Promise.withResolvers<void>()

  /** Returns whether there was no more. */
  async function readOn(from: LogPlace): Promise<boolean> {
    const { changes: read, place, isEnd, loss } = await feed.log.read(from, changesAtOnce)
    begun = place
    if (loss) readers.lose([...open], lostBy(loss))
    await readers.deliver(read, { from, end: place })
    done = place
    turned.resolve()
    turned = Promise.withResolvers()
    return isEnd
  }
  /**
   * A connection that breaks while it catches up shall not begin where it did. Told by the clock: a
   * number of positions would tell of changes that the reader does not see.
   */
  function tellProgress({ stream, place, rights }: LiveReader): void {
    if (performance.now() - stream.sentMs() >= limits.live.progressMs) stream.send(printId(seal(place, rights)))
  }
  async function run(): Promise<void> {
    while (open.size > 0 && begun !== undefined) {
      try {
        while (!(await readOn(begun)));
        await sleep(limits.live.restMs)
        await bell.next(limits.live.lookMs)
      } catch (error) {
        report(error)
        await sleep(retryMs)
      }
    }
    begun = undefined
  }
  return {
    async join(reader) {
      if (!reader.stream.isOpen()) return
      open.add(reader)
      if (begun === undefined) {
        begun = reader.place
        done = begun
        void run()
      }
      while (reader.stream.isOpen() && begun !== undefined) {
        const order = comparePlaces(reader.place, begun)
        // A part that is being delivered would tell it once more what it has had.
        if (order === 0 && done === begun) return readers.add(reader)
        if (order >= 0) {
          if (order > 0) bell.poke()
          await turned.promise
        } else {
          await readAlone(feed, reader, { until: begun, seal })
          tellProgress(reader)
          await reader.stream.space()
        }
      }
    },
    leave(reader) {
      readers.drop(reader)
      open.delete(reader)
      if (open.size === 0) bell.poke()
    },
    placeOf(reader) {
      const isAhead = !readers.has(reader) || comparePlaces(done, reader.place) < 0
      return isAhead ? reader.place : done
    },
  }
}
