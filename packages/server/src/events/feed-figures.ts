/**
 * The figures of the kept log and of its readers, for metrics and for operators. They are read when
 * they are asked for; nothing counts while requests run.
 */
import { ApiError } from '../errors.ts'
import type { FamilySource } from '../observe/meter.ts'
import { gauge, type MetricFamily, shared } from '../observe/metric-family.ts'
import type { Principal } from '../resource/principal.ts'
import { type LogHolder, laterPlace } from '../storage/derived/kept-log.ts'
import { type FeedRoom, feedResources } from './feed-room.ts'
import { type Followed, follow } from './followed.ts'
import { sealPosition } from './positions-of-feed.ts'
import { decidingResources } from './read-feed.ts'

/** `streams`: how many live streams are open in this process. */
export type WatchedFeed = { readonly room: FeedRoom; streams(): number }

/** Metrics are asked for again and again, and each read counts the newest rows. */
const readEveryMs = 5_000
/** The last changes that an operator is shown. */
const recentCount = 50

type Figures = {
  readonly rows: number
  readonly bytes: number
  readonly oldestMs: number | undefined
  readonly lagMs: number
  readonly waitingRows: number
  readonly holders: readonly LogHolder[]
}

/** Rows have the time of the machine that wrote them, which tests cannot set. */
async function readFigures({ log }: FeedRoom): Promise<Figures> {
  const [{ rows, bytes, oldestMs, held }, holders] = await Promise.all([log.figures(), log.holders()])
  const lagMs = held.oldestMs === undefined ? 0 : Math.max(0, Date.now() - held.oldestMs)
  return { rows, bytes, oldestMs, lagMs, waitingRows: held.rows, holders }
}

function readersOf({ room, streams }: WatchedFeed) {
  return { live: streams(), waiting: room.bell.count() }
}

/** Databases with one writer have no holder, and no families about one. */
function holderFamilies([oldest]: readonly LogHolder[], isShared: boolean): readonly MetricFamily[] {
  if (!isShared) return []
  return [
    shared(
      'bindery_feed_held_seconds',
      'How long the oldest transaction is open that holds the kept changes back.',
      (oldest?.ms ?? 0) / 1000,
    ),
    shared('bindery_feed_holder_pid', 'The process of that transaction in the database; 0 for none.', oldest?.pid ?? 0),
  ]
}

export function feedFamilies(watched: WatchedFeed, { isShared }: { readonly isShared: boolean }): FamilySource {
  let readMs = Number.NEGATIVE_INFINITY
  let found: Promise<Figures> | undefined
  function figuresNow(): Promise<Figures> {
    const nowMs = performance.now()
    if (!found || nowMs - readMs > readEveryMs) {
      readMs = nowMs
      found = readFigures(watched.room)
      found.catch(() => {
        found = undefined
      })
    }
    return found
  }
  return async () => {
    const { rows, bytes, oldestMs, lagMs, holders } = await figuresNow()
    const readers = Object.entries(readersOf(watched)).map(([kind, value]) => ({ labels: { kind }, value }))
    const ageMs = oldestMs === undefined ? 0 : Math.max(0, Date.now() - oldestMs)
    return [
      shared('bindery_feed_rows', 'Changes that are kept for readers.', rows),
      shared('bindery_feed_bytes', 'Their bytes, as CHANGES_KEEP_BYTES counts them.', bytes),
      shared('bindery_feed_oldest_seconds', 'Age of the oldest of them.', ageMs / 1000),
      shared(
        'bindery_feed_lag_seconds',
        'How long the oldest committed change waits that readers do not get yet.',
        lagMs / 1000,
      ),
      gauge('bindery_feed_readers', 'Readers now: live streams, and requests that wait for a change.', readers),
      ...holderFamilies(holders, isShared),
    ]
  }
}

/** Of the lists that this caller may read. Those whose rules depend on the time have no changes. */
function followedBy({ engine }: FeedRoom, principal: Principal): readonly Followed[] {
  return feedResources(engine.catalog).flatMap((resource) => {
    try {
      const one = follow(engine, { resource, parameters: new Map(), tenant: undefined })
      one.seenBy(principal)
      return [one]
    } catch (error) {
      if (error instanceof ApiError) return []
      throw error
    }
  })
}

/**
 * The answer to an operator. `recent`: the position before the last changes. It is as far back as
 * the log has all that decides what this caller sees.
 */
export async function readFeedState(watched: WatchedFeed, principal: Principal) {
  const { room } = watched
  const { engine, log, tables } = room
  const { catalog, storage } = engine
  const followed = followedBy(room, principal)
  const since = await log.since(decidingResources({ catalog, storage, log, tables }, { principal, followed }))
  const [end, recent] = [await log.end(), laterPlace(await log.recent(recentCount), since)]
  return {
    ...(await readFigures(room)),
    position: await sealPosition(room, end, principal),
    recent: await sealPosition(room, recent, principal),
    resources: followed.map(({ resource }) => resource.slug),
    readers: readersOf(watched),
  }
}
