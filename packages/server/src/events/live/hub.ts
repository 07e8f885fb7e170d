/**
 * The hub of one process: reads the kept log once for all live streams, and gives whole transactions,
 * in their order, to the groups that they concern. It reads only while a stream is open.
 */
import { limits } from '../../limits.ts'
import type { Changes } from '../../storage/changes.ts'
import { comparePlaces, type KeptChange, type LogPlace } from '../../storage/kept-log.ts'
import { eventsOf } from '../events-of.ts'
import { transactionsOf } from '../log-transactions.ts'
import { seenThen } from '../followed.ts'
import { LostPlace } from '../lost.ts'
import type { MatchingParts } from '../matching.ts'
import { type FeedParts, partsOf } from '../read-feed.ts'
import { type LiveGroup, makeLiveGroups } from './live-groups.ts'
import { type LiveReader, printLost, printSeen, type SealPlace, sendTransaction } from './live-reader.ts'
import { readAlone, readPartAlone } from './read-alone.ts'

export type Hub = {
  /** Reads on from the reader's place until it is with the others, or its stream ends. Throws `LostPlace`. */
  join(reader: LiveReader): Promise<void>
  leave(reader: LiveReader): void
  /** The place up to which a joined reader has had all events. */
  placeOf(reader: LiveReader): LogPlace
  groups(): number
}

type HubDeps = {
  readonly feed: FeedParts
  readonly changes: Pick<Changes, 'follow'>
  readonly seal: SealPlace
  readonly report: (error: unknown) => void
}

/** Changes that are read from the log at once. */
const changesAtOnce = 500
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
  const { catalog, log, tables } = feed
  const groups = makeLiveGroups()
  const bell = makeBell(changes)
  const joined = new Set<LiveReader>()
  /** Those that catch up, too. */
  const open = new Set<LiveReader>()
  /** Where the hub reads on; the changes before it are being delivered, or have been up to `done`. */
  let begun: LogPlace | undefined
  let done: LogPlace = ''
  let turned = Promise.withResolvers<void>()

  function add(reader: LiveReader): void {
    joined.add(reader)
    for (const one of reader.subscriptions) groups.add(one, seenThen(one.followed, reader.principal))
  }
  function drop(reader: LiveReader): void {
    joined.delete(reader)
    for (const one of reader.subscriptions) groups.remove(one)
  }
  function lose(readers: Iterable<LiveReader>, error: unknown): void {
    if (!(error instanceof LostPlace)) report(error)
    const why = error instanceof LostPlace ? error.message : 'The server could not follow the changes'
    for (const reader of [...readers]) reader.stream.end(printLost(why))
  }

  /** Those whose memberships the transactions may have changed: each reads for itself. */
  function movingIn({ world }: MatchingParts): readonly LiveReader[] {
    const about = world.transactions.filter(({ moves }) => tables.resources.some(({ name }) => moves.has(name)))
    if (about.length === 0) return []
    return [...joined].filter(({ principal }) => {
      if (principal.kind !== 'user') return false
      return about.some((one) => tables.isConcerned(one, principal.userId))
    })
  }

  type Touched = Map<LiveReader, string[]>

  async function tellGroup(parts: MatchingParts, group: LiveGroup, { at, touched }: { at: number; touched: Touched }) {
    const transaction = parts.world.transactions[at]
    const { resource, seen } = group
    const events = await eventsOf(parts, { resource, was: seen, is: seen }, at)
    if (events.length === 0 || !transaction) return
    const texts = new Map<string, string>()
    for (const { reader, name } of group.subscriptions) {
      const key = `${reader.rights} ${name ?? ''}`
      const text = texts.get(key) ?? printSeen({ transaction, events }, seal(transaction.place, reader.rights), name)
      texts.set(key, text)
      const own = touched.get(reader)
      if (own) own.push(text)
      else touched.set(reader, [text])
    }
  }

  async function tellGroups(parts: MatchingParts): Promise<void> {
    for (const [at, transaction] of parts.world.transactions.entries()) {
      const touched: Touched = new Map()
      for (const group of groups.concerned(transaction)) {
        try {
          await tellGroup(parts, group, { at, touched })
        } catch (error) {
          lose([...group.subscriptions].map(({ reader }) => reader), error)
        }
      }
      for (const [reader, texts] of touched) {
        sendTransaction(reader, texts, seal(transaction.place, reader.rights))
        reader.place = transaction.place
      }
    }
  }

  async function deliver(changes: readonly KeptChange[], { from, end }: { from: LogPlace; end: LogPlace }) {
    const parts = partsOf(feed, transactionsOf(catalog, changes), end)
    const moving = movingIn(parts)
    for (const reader of moving) {
      drop(reader)
      reader.place = from
    }
    await tellGroups(parts)
    for (const reader of moving) {
      try {
        await readPartAlone(feed, { parts, end, seal }, reader)
        if (reader.stream.isOpen()) add(reader)
      } catch (error) {
        lose([reader], error)
      }
    }
  }

  async function readOn(from: LogPlace): Promise<boolean> {
    const { changes, place, isEnd } = await log.read(from, changesAtOnce)
    const before = [...joined]
    begun = place
    try {
      if (changes.length > 0 && joined.size > 0) await deliver(changes, { from, end: place })
    } catch (error) {
      lose(before, error)
    }
    done = place
    turned.resolve()
    turned = Promise.withResolvers()
    return isEnd
  }

  async function run(): Promise<void> {
    while (open.size > 0 && begun !== undefined) {
      try {
        while (!(await readOn(begun)));
        await bell.next(limits.live.lookMs)
      } catch (error) {
        report(error)
        await new Promise((resolve) => setTimeout(resolve, retryMs))
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
        if (order === 0) return add(reader)
        if (order > 0) {
          bell.poke()
          await turned.promise
        } else {
          await readAlone(feed, reader, { until: begun, seal })
          await reader.stream.space()
        }
      }
    },
    leave(reader) {
      drop(reader)
      open.delete(reader)
      if (open.size === 0) bell.poke()
    },
    placeOf: (reader) => {
      const isBehind = !joined.has(reader) || comparePlaces(done, reader.place) < 0
      return isBehind ? reader.place : done
    },
    groups: groups.count,
  }
}

