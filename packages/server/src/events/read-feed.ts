/**
 * Reads the events of one reader behind a place of the log, in whole transactions. The rights are
 * those of the present, and the memberships those of each moment.
 */
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Principal } from '../resource/principal.ts'
import { comparePlaces, type KeptLog, type LogPlace } from '../storage/derived/kept-log.ts'
import type { ReadStorage } from '../storage/storage.ts'
import { callersOf, type MembershipTables } from './caller-at.ts'
import { eventsOf, type RecordEvent } from './events-of.ts'
import { type Followed, keepSeen, lookedIntoBy, seenThen } from './followed.ts'
import { type LogTransaction, transactionsOf } from './log-transactions.ts'
import { lostBy } from './lost.ts'
import type { MatchingParts } from './matching.ts'
import { makeVerdicts } from './verdicts.ts'
import { makeWorld } from './world.ts'

export type FeedParts = {
  readonly catalog: Catalog
  readonly storage: Pick<ReadStorage, 'list'>
  readonly log: KeptLog
  readonly tables: MembershipTables
}

export type FeedReader = { readonly principal: Principal; readonly followed: readonly Followed[] }

export type SeenTransaction = { readonly transaction: LogTransaction; readonly events: readonly RecordEvent[] }

export type FeedPage = {
  /** Those with events. */
  readonly transactions: readonly SeenTransaction[]
  /** The reader goes on from here. */
  readonly place: LogPlace
  readonly isEnd: boolean
  /** Whether a further event follows, which was looked for because the page has its events. */
  readonly isFull: boolean
}

/** Changes that are read from the log at once. */
export const changesAtOnce = 500

/** The records of a world, and what decides conditions on them. */
export function partsOf(feed: FeedParts, transactions: readonly LogTransaction[], end: LogPlace): MatchingParts {
  const world = makeWorld(feed, transactions, end)
  return { catalog: feed.catalog, storage: feed.storage, world, verdicts: makeVerdicts(feed.catalog, world) }
}

/** The resources whose changes decide what a reader sees. */
export function decidingResources(
  { catalog, tables }: FeedParts,
  { followed, principal }: FeedReader,
): readonly Resource[] {
  const names = new Set(tables.resources.map(({ name }) => name))
  for (const one of followed) {
    names.add(one.resource.name)
    lookedIntoBy(one.seenBy(principal), names)
  }
  return [...names].map((name) => catalog.get(name))
}

/** Throws `LostPlace` for a place from which the log is not whole. */
export async function checkWhole(feed: FeedParts, reader: FeedReader, after: LogPlace): Promise<void> {
  const since = await feed.log.since(decidingResources(feed, reader))
  if (comparePlaces(after, since) < 0) throw lostBy('cut')
}

type PageRequest = {
  readonly after: LogPlace
  readonly most: number
  /** How many changes one part of the log has. */
  readonly changes?: number
}

/**
 * At most one part of the log. It may have no event for the reader, who goes on from `place`.
 * `most`: the events after which it ends before the next one that the reader sees. Changes that the
 * reader does not see cannot end it. Throws `LostPlace`, and the errors of a list of the reader.
 */
export async function readFeed(feed: FeedParts, reader: FeedReader, request: PageRequest): Promise<FeedPage> {
  const { after, most } = request
  const { changes, place, isEnd, loss } = await feed.log.read(after, request.changes ?? changesAtOnce)
  if (loss) throw lostBy(loss)
  const read = transactionsOf(feed.catalog, changes)
  if (read.length === 0) return { transactions: [], place, isEnd, isFull: false }
  const parts = partsOf(feed, read, place)
  const seen = keepSeen((one, principal) =>
    principal === reader.principal ? one.seenBy(principal) : seenThen(one, principal),
  )
  const callerAt = await callersOf(feed.tables, parts, reader.principal)
  const transactions: SeenTransaction[] = []
  let count = 0
  let passed = after
  for (const [at, transaction] of read.entries()) {
    const events: RecordEvent[] = []
    for (const followed of reader.followed) {
      const over = { was: seen(followed, callerAt(at)), is: seen(followed, callerAt(at + 1)) }
      events.push(...(await eventsOf(parts, { resource: followed.resource, ...over }, at)))
    }
    if (events.length > 0) {
      if (count >= most) return { transactions, place: passed, isEnd: false, isFull: true }
      transactions.push({ transaction, events })
      count += events.length
    }
    passed = transaction.place
  }
  return { transactions, place, isEnd, isFull: false }
}
