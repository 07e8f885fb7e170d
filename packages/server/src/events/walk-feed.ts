/** Walks the feed for code of the engine: event after event, and on behind the present if asked. */
import { ApiError } from '../errors.ts'
import type { Principal } from '../resource/principal.ts'
import { type FeedRoom, feedResources } from './feed-room.ts'
import { follow } from './followed.ts'
import { LostPlace } from './lost.ts'
import { openPosition, sealPosition } from './positions-of-feed.ts'
import { type PrintedEvent, printTransaction } from './print-events.ts'
import { checkWhole, decidingResources, readFeed } from './read-feed.ts'

export type FeedWalk = {
  readonly principal: Principal
  /** As their paths name them; empty for all. */
  readonly slugs: readonly string[]
  /** A position; undefined for the oldest that the log knows. */
  readonly after: string | undefined
  readonly follows: boolean
  readonly signal: AbortSignal
}

const eventsAtOnce = 100

/** Throws `bad-request`, and `gone`. */
export async function* walkFeed(room: FeedRoom, walk: FeedWalk): AsyncGenerator<PrintedEvent> {
  const { engine, log, tables, bell } = room
  const { principal, signal } = walk
  const all = feedResources(engine.catalog)
  const unknown = walk.slugs.find((slug) => !all.some((one) => one.slug === slug))
  if (unknown !== undefined)
    throw new ApiError('bad-request', `The feed has no ${unknown}; it has ${all.map(({ slug }) => slug).join(', ')}`)
  const named = all.filter(({ slug }) => walk.slugs.length === 0 || walk.slugs.includes(slug))
  const followed = named.map((resource) => follow(engine, { resource, parameters: new Map(), tenant: undefined }))
  const feed = { catalog: engine.catalog, storage: engine.storage, log, tables }
  const reader = { principal, followed }
  try {
    let place = walk.after === undefined ? undefined : await openPosition(room, walk.after, principal)
    if (place === undefined) place = await log.since(decidingResources(feed, reader))
    else await checkWhole(feed, reader, place)
    while (!signal.aborted) {
      const page = await readFeed(feed, reader, { after: place, most: eventsAtOnce })
      for (const one of page.transactions)
        yield* printTransaction(one, {
          position: await sealPosition(room, one.transaction.place, principal),
          principal,
        })
      place = page.place
      if (page.isEnd && !walk.follows) return
      if (page.isEnd) await bell.next(place, signal)
    }
  } catch (error) {
    if (error instanceof LostPlace) throw new ApiError('gone', error.message, { cause: error })
    throw error
  }
}
