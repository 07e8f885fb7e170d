/** The parts that the feed shares with everything that follows changes for a caller. */

import { loadOnce } from '../base/optional-package.ts'
import { makePositions, type Positions } from '../endpoint/positions.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { followedBy } from '../resource/effects/declared-changes.ts'
import type { KeptLog } from '../storage/derived/kept-log.ts'
import { type MembershipTables, membershipTables } from './caller-at.ts'
import { makeStreamLimit, ofWaits, type StreamLimit } from './live/stream-limit.ts'
import { type LogBell, makeLogBell } from './log-bell.ts'
import { makeRights, type RightsOf } from './rights.ts'

export type FeedRoom = {
  readonly engine: EdgeEngine
  readonly log: KeptLog
  readonly bell: LogBell
  /** Requests that wait. */
  readonly waits: StreamLimit
  readonly tables: MembershipTables
  /** Made once, with the secret of the log. */
  positions(): Promise<Positions>
  readonly rightsOf: RightsOf
  isEnding(): boolean
}

/** The resources that the feed has: their declarations keep changes, and callers may list them. */
export function feedResources({ resources }: Pick<Catalog, 'resources'>): readonly Resource[] {
  return [...resources.values()].filter((one) => followedBy(one))
}

/**
 * `isEnding`: whether the service is stopping. Undefined where no resource has changes to follow.
 */
export function makeFeedRoom(engine: EdgeEngine, isEnding: () => boolean): FeedRoom | undefined {
  const { catalog, storage } = engine
  const { kept: log } = storage.changes
  const followed = feedResources(catalog)
  if (!log || followed.length === 0) return undefined
  return {
    engine,
    log,
    positions: loadOnce(async () => makePositions(await log.sealing())),
    isEnding,
    waits: makeStreamLimit(ofWaits),
    bell: makeLogBell({ changes: storage.changes, log, isEnding }),
    tables: membershipTables(catalog),
    rightsOf: makeRights(engine, followed),
  }
}
