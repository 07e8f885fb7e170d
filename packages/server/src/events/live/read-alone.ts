/**
 * Reads a part of the log for one reader: while it catches up, and where its memberships have
 * changed, which no other reader shares.
 */
import { comparePlaces, type LogPlace } from '../../storage/derived/kept-log.ts'
import { callersOf } from '../caller-at.ts'
import { eventsOf } from '../events-of.ts'
import { keepSeen, seenThen } from '../followed.ts'
import { transactionsOf } from '../log-transactions.ts'
import { lostBy } from '../lost.ts'
import type { MatchingParts } from '../matching.ts'
import { changesAtOnce, type FeedParts, partsOf } from '../read-feed.ts'
import { type LiveReader, printSeen, type SealPlace, sendTransaction } from './live-reader.ts'

type ReadPart = {
  readonly parts: MatchingParts
  readonly end: LogPlace
  readonly seal: SealPlace
  /** Called behind each transaction that has events: the client reads meanwhile. */
  readonly pause: () => Promise<unknown>
}

/** Sends the events of these transactions. Throws `LostPlace`. */
export async function readPartAlone(
  feed: FeedParts,
  { parts, end, seal, pause }: ReadPart,
  reader: LiveReader,
): Promise<void> {
  const { transactions } = parts.world
  const callerAt = await callersOf(feed.tables, parts, reader.principal)
  const seenBy = keepSeen(seenThen)
  const { form } = reader.stream
  for (const [at, transaction] of transactions.entries()) {
    if (comparePlaces(transaction.place, reader.place) <= 0) continue
    const position = seal(transaction.place, reader.rights)
    const texts: string[] = []
    for (const { followed, name } of reader.subscriptions) {
      const over = { was: seenBy(followed, callerAt(at)), is: seenBy(followed, callerAt(at + 1)) }
      const events = await eventsOf(parts, { resource: followed.resource, ...over }, at)
      if (events.length > 0) texts.push(printSeen({ transaction, events }, position, { form, name }))
    }
    if (texts.length > 0) sendTransaction(reader, texts, position)
    reader.place = transaction.place
    if (texts.length > 0) await pause()
  }
  reader.principal = callerAt(transactions.length)
  reader.place = end
}

/** Reads on, at most up to a place. Throws `LostPlace`. */
export async function readAlone(
  feed: FeedParts,
  reader: LiveReader,
  { until, seal }: { readonly until: LogPlace; readonly seal: SealPlace },
): Promise<void> {
  const { changes, place, loss } = await feed.log.read(reader.place, changesAtOnce)
  if (loss) throw lostBy(loss)
  const part = changes.filter((change) => comparePlaces(change.place, until) <= 0)
  const end = part.length < changes.length || comparePlaces(place, until) > 0 ? until : place
  const parts = partsOf(feed, transactionsOf(feed.catalog, part), end)
  await readPartAlone(feed, { parts, end, seal, pause: () => reader.stream.space() }, reader)
}
