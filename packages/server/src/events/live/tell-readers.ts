/**
 * The readers at the place of the hub, and the delivery of a part of the log to them. Groups get it
 * together, and readers whose memberships the part changes get it alone. Between two transactions
 * the texts are written and other work has its turn, so that a long part is too long for no client.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import type { KeptChange, LogPlace } from '../../storage/derived/kept-log.ts'
import { eventsOf } from '../events-of.ts'
import { seenThen } from '../followed.ts'
import { transactionsOf } from '../log-transactions.ts'
import { LostPlace } from '../lost.ts'
import type { MatchingParts } from '../matching.ts'
import { type FeedParts, partsOf } from '../read-feed.ts'
import { type LiveGroup, makeLiveGroups } from './live-groups.ts'
import { type LiveReader, printLost, printSeen, type SealPlace, sendTransaction } from './live-reader.ts'
import { readPartAlone } from './read-alone.ts'

export type ReaderTelling = {
  add(reader: LiveReader): void
  drop(reader: LiveReader): void
  has(reader: LiveReader): boolean
  /** Sends the events of these changes, which are whole transactions. */
  deliver(changes: readonly KeptChange[], part: LogPart): Promise<void>
  /** Ends their streams, and says why. */
  lose(readers: readonly LiveReader[], error: unknown): void
}

export type LogPart = { readonly from: LogPlace; readonly end: LogPlace }

type ReaderTellingDeps = {
  readonly feed: FeedParts
  readonly seal: SealPlace
  readonly report: (error: unknown) => void
}

/** Reader → its texts of one transaction. */
type Touched = Map<LiveReader, string[]>

/** Readers whose memberships the transactions may have changed. */
function movingIn(
  { tables }: FeedParts,
  { world }: MatchingParts,
  joined: ReadonlySet<LiveReader>,
): readonly LiveReader[] {
  const about = world.transactions.filter(({ moves }) => tables.resources.some(({ name }) => moves.has(name)))
  if (about.length === 0) return []
  return [...joined].filter(({ principal }) => {
    if (principal.kind !== 'user') return false
    return about.some((one) => tables.isConcerned(one, principal.userId))
  })
}

/** One verdict for the group, and one text for all readers with the same rights and form. */
async function tellGroup(
  parts: MatchingParts,
  group: LiveGroup,
  { at, touched, seal }: { readonly at: number; readonly touched: Touched; readonly seal: SealPlace },
): Promise<void> {
  const transaction = parts.world.transactions[at]
  const { resource, seen } = group
  const events = await eventsOf(parts, { resource, was: seen, is: seen }, at)
  if (events.length === 0 || !transaction) return
  const texts = new Map<string, string>()
  for (const { reader, name } of group.subscriptions) {
    const { form } = reader.stream
    const key = `${reader.rights} ${name ?? ''} ${form.key}`
    const position = seal(transaction.place, reader.rights)
    const text = texts.get(key) ?? printSeen({ transaction, events }, position, { form, name })
    texts.set(key, text)
    const own = touched.get(reader)
    if (own) own.push(text)
    else touched.set(reader, [text])
  }
}

export function makeReaderTelling({ feed, seal, report }: ReaderTellingDeps): ReaderTelling {
  const groups = makeLiveGroups()
  const joined = new Set<LiveReader>()

  function add(reader: LiveReader): void {
    joined.add(reader)
    for (const one of reader.subscriptions) groups.add(one, seenThen(one.followed, reader.principal))
  }
  function drop(reader: LiveReader): void {
    joined.delete(reader)
    for (const one of reader.subscriptions) groups.remove(one)
  }
  function lose(readers: readonly LiveReader[], error: unknown): void {
    if (!(error instanceof LostPlace)) report(error)
    const why = error instanceof LostPlace ? error.message : 'The server could not follow the changes'
    for (const { stream } of readers) stream.end(printLost(stream.form, why))
  }
  async function tellGroups(parts: MatchingParts): Promise<void> {
    for (const [at, transaction] of parts.world.transactions.entries()) {
      const touched: Touched = new Map()
      for (const group of groups.concerned(transaction)) {
        const readers = [...group.subscriptions].map(({ reader }) => reader)
        await tellGroup(parts, group, { at, touched, seal }).catch((error) => lose(readers, error))
      }
      for (const [reader, texts] of touched) {
        sendTransaction(reader, texts, seal(transaction.place, reader.rights))
        reader.place = transaction.place
      }
      if (touched.size > 0) await breathe()
    }
  }
  async function tellAll(changes: readonly KeptChange[], { from, end }: LogPart): Promise<void> {
    const parts = partsOf(feed, transactionsOf(feed.catalog, changes), end)
    const moving = movingIn(feed, parts, joined)
    for (const reader of moving) {
      drop(reader)
      reader.place = from
    }
    await tellGroups(parts)
    for (const reader of moving) {
      await readPartAlone(feed, { parts, end, seal, pause: breathe }, reader).catch((error) => lose([reader], error))
      if (reader.stream.isOpen()) add(reader)
    }
  }
  return {
    add,
    drop,
    has: (reader) => joined.has(reader),
    lose,
    async deliver(changes, part) {
      if (joined.size === 0 || changes.length === 0) return
      const before = [...joined]
      await tellAll(changes, part).catch((error) => lose(before, error))
    },
  }
}
