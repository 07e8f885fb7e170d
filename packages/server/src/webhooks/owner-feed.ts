/**
 * The changes that the owner of an endpoint may see, by its present rights, as deliveries need
 * them. A place here names the log that it is of, and the rights under which it was read.
 */
import { ApiError } from '../errors.ts'
import { membershipTables } from '../events/caller-at.ts'
import type { RecordEvent } from '../events/events-of.ts'
import { feedResources } from '../events/feed-room.ts'
import { type Followed, follow } from '../events/followed.ts'
import { LostPlace } from '../events/lost.ts'
import { printEvent } from '../events/print-events.ts'
import {
  changesAtOnce,
  checkWhole,
  decidingResources,
  type FeedParts,
  type FeedReader,
  readFeed,
  type SeenTransaction,
} from '../events/read-feed.ts'
import { makeRights } from '../events/rights.ts'
import { parseParameters } from '../operation/parameters.ts'
import type { Engine } from '../perform/engine.ts'
import { tenantText } from '../policy/tenants/request-tenants.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Principal } from '../resource/principal.ts'
import type { Changes } from '../storage/changes.ts'
import { comparePlaces, firstPlace, type KeptLog, type LogPlace } from '../storage/derived/kept-log.ts'

/** A change as its owner sees it. `before`, `place`: where it is in the log. */
export type OwnerChange = {
  readonly event: RecordEvent['type']
  readonly resource: Resource
  readonly id: string
  readonly atMs: number
  readonly before: string
  readonly place: string
  /** The event of the feed. */
  readonly data: object
}

export type OwnerRequest = {
  readonly caller: Principal
  readonly after: string
  readonly resources: readonly Resource[]
  /** Resource → a query of its list. */
  readonly filters: Readonly<Record<string, string>> | null
}

/** `lost`: changes are missing; the next ones come after this place. `wrong`: a filter is. */
export type OwnerPage =
  | {
      readonly changes: readonly OwnerChange[]
      readonly place: string
      readonly isEnd: boolean
      /** The resources whose changes decide what the owner sees. */
      readonly deciding: ReadonlySet<string>
    }
  | { readonly lost: string }
  | { readonly wrong: string }

export type OwnerFeed = {
  /** Of whole transactions, so there may be more changes than asked for. */
  read(request: OwnerRequest & { readonly most: number }): Promise<OwnerPage>
  /** The changes of one transaction once more, by the rights of now; undefined where it is gone. */
  again(request: OwnerRequest & { readonly place: string }): Promise<readonly OwnerChange[] | undefined>
  /** The place after all that is settled. */
  end(): Promise<string>
  /** The resources whose changes can be told. */
  readonly resources: readonly Resource[]
}

/** The part of the log that is read for one change. */
const nearChanges = 4

const separator = '/'
const placed = (epoch: string, place: LogPlace, rights?: string) =>
  [epoch, place, ...(rights === undefined ? [] : [rights])].join(separator)

/** `rights`: undefined where any do. */
function parsePlace(text: string): { readonly epoch: string; readonly place: LogPlace; readonly rights?: string } {
  const [epoch = '', place = firstPlace, rights] = text.split(separator)
  return { epoch, place, ...(rights !== undefined && { rights }) }
}

export async function endOfLog({ kept }: Pick<Changes, 'kept'>): Promise<string> {
  return kept ? placed(await kept.epoch(), await kept.end()) : ''
}

type FollowingEngine = Parameters<typeof follow>[0]

/** A resource under a filter. Throws `bad-request` where that is wrong, and what a list throws. */
export function followFor(
  engine: FollowingEngine,
  caller: Principal,
  { resource, filter = '' }: { readonly resource: Resource; readonly filter?: string | undefined },
): Followed {
  const parameters = parseParameters(filter)
  const { tenant } = caller
  const followed = follow(engine, { resource, parameters, tenant: tenant && tenantText(tenant) })
  followed.seenBy(caller)
  return followed
}

/** Those that the caller may list; a message where a filter is wrong. */
function followAll(
  engine: FollowingEngine,
  { caller, resources, filters }: OwnerRequest,
): readonly Followed[] | string {
  const found: Followed[] = []
  for (const resource of resources) {
    try {
      found.push(followFor(engine, caller, { resource, filter: filters?.[resource.slug] }))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'bad-request') return `${resource.slug}: ${error.message}`
    }
  }
  return found
}

function changesOf({ transaction, events }: SeenTransaction, epoch: string, before: LogPlace): OwnerChange[] {
  const { atMs, place } = transaction
  const where = { atMs, before: placed(epoch, before), place: placed(epoch, place) }
  return events.map((one) => ({
    ...{ event: one.type, resource: one.resource, id: String(one.id), ...where, data: printEvent(one) },
  }))
}

type FeedEngine = Pick<Engine, 'catalog' | 'storage' | 'policy' | 'settings'>

/** Undefined where no resource has changes to tell. */
export function makeOwnerFeed(engine: FeedEngine): OwnerFeed | undefined {
  const { catalog, storage } = engine
  const { kept: log } = storage.changes
  const resources = feedResources(catalog)
  if (!log || resources.length === 0) return undefined
  const feed: FeedParts = { catalog, storage, log, tables: membershipTables(catalog) }
  const rightsOf = makeRights(engine, resources)

  return {
    resources,
    end: () => endOfLog(storage.changes),
    async read(request) {
      const { caller, most } = request
      const epoch = await log.epoch()
      const rights = rightsOf(caller)
      const after = parsePlace(request.after)
      const lost = async () => ({ lost: placed(epoch, await log.end(), rights) })
      if (after.epoch !== epoch || (after.rights !== undefined && after.rights !== rights)) return lost()
      const followed = followAll(engine, request)
      if (typeof followed === 'string') return { wrong: followed }
      const reader = { principal: caller, followed }
      try {
        await checkWhole(feed, reader, after.place)
        const page = await readFeed(feed, reader, { after: after.place, most })
        const places = [after.place, ...page.transactions.map(({ transaction }) => transaction.place)]
        return {
          changes: page.transactions.flatMap((one, at) => changesOf(one, epoch, places[at] as LogPlace)),
          place: placed(epoch, page.place, rights),
          isEnd: page.isEnd,
          deciding: new Set(decidingResources(feed, reader).map(({ name }) => name)),
        }
      } catch (error) {
        if (error instanceof LostPlace) return lost()
        throw error
      }
    },
    async again(request) {
      const epoch = await log.epoch()
      const [from, to] = [parsePlace(request.after), parsePlace(request.place)]
      const followed = followAll(engine, request)
      if (from.epoch !== epoch || typeof followed === 'string') return undefined
      return findTransaction(
        feed,
        { principal: request.caller, followed },
        { log, epoch, from: from.place, to: to.place },
      )
    },
  }
}

type Wanted = { readonly log: KeptLog; readonly epoch: string; readonly from: LogPlace; readonly to: LogPlace }

/** The changes of the transaction that ends at a place. */
async function findTransaction(feed: FeedParts, reader: FeedReader, { epoch, from, to }: Wanted) {
  try {
    await checkWhole(feed, reader, from)
    // It is one of the next few changes, unless the owner does not see those between.
    for (let [place, changes] = [from, nearChanges]; comparePlaces(place, to) < 0; changes = changesAtOnce) {
      const page = await readFeed(feed, reader, { after: place, most: 1, changes })
      const found = page.transactions.find(({ transaction }) => transaction.place === to)
      if (found) return changesOf(found, epoch, from)
      if (page.isEnd) return []
      place = page.place
    }
    return []
  } catch (error) {
    if (error instanceof LostPlace) return undefined
    throw error
  }
}
