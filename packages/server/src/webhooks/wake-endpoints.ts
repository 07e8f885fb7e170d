/**
 * Wakes endpoints when something changes that they may be told of. A run reads settled changes, so
 * a change wakes them when it is settled. On PostgreSQL an open transaction holds back all that is
 * written after its begin.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { makePollScheduler } from '../effects/poll-scheduler.ts'
import type { EffectRunner } from '../effects/run-effects.ts'
import { equal } from '../resource/condition.ts'
import { type Change, serviceAuthor } from '../storage/changes.ts'
import type { KeptLog, LogPlace } from '../storage/derived/kept-log.ts'
import type { Bell, News } from './bell.ts'
import { endpointOf, resourcesOf, type WebhookRoom, webhookKind } from './webhook-room.ts'

const endpointsAtOnce = 500
const changesAtOnce = 500
/** Between two looks at a log that does not have a change yet, or at a database that is away. */
const heldMs = 50
/** Between two looks where nothing was told: other processes may have written meanwhile. */
const idleMs = 5_000
/** So many changes are remembered by their numbers. */
const rememberedMax = 10_000
/** After so many looks a change is not waited for: an earlier version may not have kept it. */
const looksMax = 1_200

/** An active endpoint, with the names of the resources that it is told of. */
export type ActiveEndpoint = { readonly id: string; readonly names: ReadonlySet<string> }

async function readActive(room: WebhookRoom): Promise<readonly ActiveEndpoint[]> {
  const { engine, tables } = room
  const { endpoints } = tables
  const found: ActiveEndpoint[] = []
  for (let after: { readonly values: readonly string[] } | null = null; ; ) {
    const sort = [{ field: 'id', descending: false }]
    const request = { where: equal('active', true), sort, limit: endpointsAtOnce, after }
    const rows = await engine.storage.list(endpoints, request as never)
    for (const row of rows) {
      const endpoint = endpointOf(tables, row)
      found.push({ id: endpoint.id, names: new Set(resourcesOf(room, endpoint).map(({ name }) => name)) })
    }
    if (rows.length < endpointsAtOnce) return found
    after = { values: [String(rows.at(-1)?.id)] }
  }
}

/** The names of the resources whose settled changes come after those that it has read. */
function makeLogLook(log: KeptLog) {
  let place: LogPlace | undefined
  /** Changes that the log does not have yet: those of a while ago, and the later ones. */
  let [old, late] = [new Set<number>(), new Set<number>()]
  let looks = 0
  /** The latest that it had before they were told. */
  const early = new Set<number>()

  function isRead(sequence: number): void {
    if (old.delete(sequence) || late.delete(sequence)) return
    early.add(sequence)
    if (early.size > rememberedMax) early.delete(early.values().next().value as number)
  }
  function forgetOld(): void {
    looks += 1
    if (looks % looksMax === 0) [old, late] = [late, new Set()]
  }

  return {
    hasUnsettled: () => old.size + late.size > 0,
    /** The log is to have this change. */
    expect({ sequence }: Change): void {
      if (!early.delete(sequence) && late.size < rememberedMax) late.add(sequence)
    },
    async begin(): Promise<void> {
      place = await log.end()
    },
    /** Undefined where the log lacks changes behind the place. */
    async look(): Promise<ReadonlySet<string> | undefined> {
      const names = new Set<string>()
      forgetOld()
      for (;;) {
        const page = await log.read(place as LogPlace, changesAtOnce)
        place = page.place
        for (const { sequence, resource } of page.changes) {
          names.add(resource)
          isRead(sequence)
        }
        if (page.loss) return undefined
        if (page.isEnd) return names
      }
    },
  }
}

/** Endpoints by id, of those whose own rows have changed. */
function gatherEndpoints({ tables }: WebhookRoom) {
  let ids = new Set<string>()
  let isStale = false
  return {
    hasAny: () => ids.size > 0 || isStale,
    addId: (id: string) => void ids.add(id),
    addAll() {
      isStale = true
    },
    add({ resource, records, credential }: Change): void {
      const isEndpoint = resource === tables.endpoints.name
      if (isEndpoint) isStale = true
      // The service's own writes to a reader are those of the run itself.
      else if (resource !== tables.readers.name || credential === serviceAuthor.credential) return
      for (const { id } of records) ids.add(String(id))
    },
    take() {
      const taken = { ids, isStale }
      ids = new Set()
      isStale = false
      return taken
    },
  }
}

export type Waker = {
  wakeSoon(id: string): void
  start(effects: Pick<EffectRunner, 'hasten'>): Promise<readonly ActiveEndpoint[]>
  /** Resolves when all changes up to now have reached their endpoints. */
  settled(): Promise<void>
  stop(): void
}

/** The active endpoints of all processes. `running`: those that this process runs. */
function makeActive(room: WebhookRoom, running: ReadonlyMap<string, Bell>) {
  const { feed, deciding } = room
  const told = new Set(feed.resources.map(({ name }) => name))
  let active: readonly ActiveEndpoint[] = []
  return {
    ids: () => active.map(({ id }) => id),
    async read(): Promise<readonly ActiveEndpoint[]> {
      active = await readActive(room)
      return active
    },
    /** Those for which a change of one of these resources may be one; all without names. */
    about(changed: ReadonlySet<string> | undefined): readonly string[] {
      const isAbout = ({ id, names }: ActiveEndpoint, all: ReadonlySet<string>) => {
        const known = deciding.get(id)
        return [...all].some((name) => (known ? known.has(name) : names.has(name) || !told.has(name)))
      }
      return active.filter((one) => changed === undefined || isAbout(one, changed)).map(({ id }) => id)
    },
    /** Those that do not run are due now. */
    async wake(ids: Iterable<string>, news: News, effects: Pick<EffectRunner, 'hasten'>): Promise<void> {
      const idle: string[] = []
      for (const id of ids) {
        const bell = running.get(id)
        if (bell) bell.ring(news)
        else idle.push(id)
      }
      if (idle.length > 0) await effects.hasten(webhookKind, idle)
    },
  }
}

export function makeWaker(room: WebhookRoom, log: KeptLog, running: ReadonlyMap<string, Bell>): Waker {
  const { catalog, storage } = room.engine
  const kept = new Set([...catalog.resources.values()].flatMap((one) => (one.loggedNames ? [one.name] : [])))
  const active = makeActive(room, running)
  const changes = makeLogLook(log)
  const own = gatherEndpoints(room)
  let effects: Pick<EffectRunner, 'hasten'>
  let stopped = false

  function addAll(): void {
    own.addAll()
    for (const id of active.ids()) own.addId(id)
  }

  async function look(): Promise<number> {
    const { ids, isStale } = own.take()
    try {
      if (isStale) await active.read()
      const names = await changes.look()
      await active.wake(ids, 'rows', effects)
      await active.wake(active.about(names), 'log', effects)
    } catch (error) {
      addAll()
      for (const id of ids) own.addId(id)
      throw error
    }
    return changes.hasUnsettled() ? heldMs : idleMs
  }
  const nothing = () => undefined
  const looks = makePollScheduler({ look, failedMs: heldMs, failed: nothing, succeeded: nothing })

  return {
    wakeSoon(id) {
      own.addId(id)
      void looks.now()
    },
    async start(runner) {
      effects = runner
      await changes.begin()
      storage.changes.follow({
        apply(all) {
          for (const change of all) {
            own.add(change)
            if (kept.has(change.resource)) changes.expect(change)
          }
          if (own.hasAny() || changes.hasUnsettled()) void looks.now()
        },
        reset() {
          addAll()
          void looks.now()
        },
      })
      const found = await active.read()
      addAll()
      void looks.now()
      return found
    },
    async settled() {
      for (let isFirst = true; !stopped; isFirst = false) {
        await looks.now()
        if (!own.hasAny() && !changes.hasUnsettled()) return
        if (!isFirst) await sleep(heldMs)
      }
    },
    stop() {
      stopped = true
      looks.stop()
    },
  }
}
