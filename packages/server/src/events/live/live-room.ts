/** The parts that all live streams of one process share. They rest while no stream is open. */
import type { EdgeEngine } from '../../http/edge-engine.ts'
import type { LogPlace } from '../../storage/derived/kept-log.ts'
import type { FeedRoom } from '../feed-room.ts'
import type { FeedParts } from '../read-feed.ts'
import { type Hub, makeHub } from './hub.ts'
import { type LivePages, makeLivePages } from './live-pages.ts'
import { makeStreamLimit, ofStreams, type StreamLimit } from './stream-limit.ts'
import { type StreamWatch, watchStreams } from './watch-streams.ts'

export type LiveRoom = {
  readonly room: FeedRoom
  readonly feed: FeedParts
  readonly hub: Hub
  readonly pages: LivePages
  readonly watch: StreamWatch
  readonly limit: StreamLimit
  /** The position of a place for these rights. `ready` must have resolved. */
  seal(place: LogPlace, rights: string): string
  ready(): Promise<void>
  readonly report: (error: unknown) => void
}

const sealedKept = 200

/** Readers share places: each position is sealed once. */
function makeSeal({ positions }: FeedRoom) {
  const known = new Map<string, string>()
  let sealer: ((place: LogPlace) => string) | undefined
  return {
    async ready(): Promise<void> {
      if (sealer) return
      sealer = (await positions()).seal
    },
    seal(place: LogPlace, rights: string): string {
      const found = known.get(place) ?? sealer?.(place)
      if (found === undefined) throw new Error('positions are sealed once the room is ready')
      if (known.size >= sealedKept) known.delete(known.keys().next().value as string)
      known.set(place, found)
      return `${found}.${rights}`
    },
  }
}

export function makeLiveRoom(room: FeedRoom, engine: EdgeEngine, report: LiveRoom['report']): LiveRoom {
  const { catalog, storage } = engine
  const { changes } = storage
  const feed = { catalog, storage, log: room.log, tables: room.tables }
  const { seal, ready } = makeSeal(room)
  return {
    room,
    feed,
    hub: makeHub({ feed, changes, seal, report }),
    pages: makeLivePages({ changes, report }),
    watch: watchStreams({ isEnding: room.isEnding, catchUp: () => changes.catchUp(), report }),
    limit: makeStreamLimit(ofStreams),
    seal,
    ready,
    report,
  }
}
