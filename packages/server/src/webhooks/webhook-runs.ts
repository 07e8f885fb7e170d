/**
 * The endpoints of a service at work: each active one has one effect, which runs while there is
 * something to do. Changes that an endpoint may be about make its effect due at once.
 */
import { EffectAgain, type EffectKind } from '../effects/effect-kind.ts'
import type { EffectRunner } from '../effects/run-effects.ts'
import { equal } from '../resource/condition.ts'
import { type Change, serviceAuthor } from '../storage/changes.ts'
import { type Bell, makeBell } from './bell.ts'
import { runEndpoint } from './run-webhook.ts'
import { endpointOf, resourcesOf, type WebhookRoom, webhookKind } from './webhook-room.ts'

/** Endpoints that one process runs at once. One that waits for answers takes one place. */
const atOnce = 1_000
const timeoutMs = 10 * 60_000
const endpointsAtOnce = 500

export type WebhookRuns = {
  readonly kind: EffectKind
  /** Begins to follow changes; `effects` runs the kind. */
  start(effects: Pick<EffectRunner, 'hasten'>): Promise<void>
  /** Resolves when all changes up to now have reached their endpoints. */
  settled(): Promise<void>
}

type Named = { readonly id: string; readonly names: ReadonlySet<string> }

/** The active endpoints, with the names of the resources that they are told of. */
async function readActive(room: WebhookRoom): Promise<Named[]> {
  const { engine, tables } = room
  const { endpoints } = tables
  const found: Named[] = []
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

/** Leaves the effects of endpoints that have none: an operator may have removed them. */
async function leaveMissing({ engine }: WebhookRoom, active: readonly Named[]): Promise<void> {
  for (const { id } of active) {
    if ((await engine.storage.effects.unended(webhookKind, id, 1)) > 0) continue
    await engine.records.transaction(serviceAuthor, (tx) => tx.leave(effectOf(id)))
  }
}

/** The effect that runs an endpoint. */
export function effectOf(id: string) {
  return { kind: webhookKind, key: id, inOrder: true, beginsChain: true, payload: {} } as const
}

/** The changes since it was last asked: resources by name, and endpoints by id. */
function gatherChanges({ tables }: WebhookRoom) {
  let names = new Set<string>()
  let ids = new Set<string>()
  let isStale = false
  return {
    hasAny: () => names.size + ids.size > 0,
    addId: (id: string) => void ids.add(id),
    add({ resource, records, kind, credential }: Change): void {
      const isEndpoint = resource === tables.endpoints.name
      if (isEndpoint) isStale = true
      // The service's own writes to a reader are those of the run itself.
      const isAboutOne = isEndpoint || (resource === tables.readers.name && credential !== serviceAuthor.credential)
      if (isAboutOne && kind !== 'delete') for (const { id } of records) ids.add(String(id))
      else if (!isEndpoint) names.add(resource)
    },
    addAll(all: Iterable<string>) {
      isStale = true
      for (const name of all) names.add(name)
    },
    take() {
      const taken = { names, ids, isStale }
      names = new Set()
      ids = new Set()
      isStale = false
      return taken
    },
  }
}

/** Whether the change of one of these resources may be a change for the endpoint. */
function isAbout({ deciding, feed }: WebhookRoom, { id, names }: Named, changed: ReadonlySet<string>): boolean {
  const known = deciding.get(id)
  const told = new Set(feed.resources.map(({ name }) => name))
  return [...changed].some((name) => (known ? known.has(name) : names.has(name) || !told.has(name)))
}

type Waker = {
  wakeSoon(id?: string): void
  start(effects: Pick<EffectRunner, 'hasten'>): Promise<void>
  settled(): Promise<void>
}

/** Wakes endpoints when something changes that they may be told of. */
function makeWaker(room: WebhookRoom, running: ReadonlyMap<string, Bell>): Waker {
  const changes = gatherChanges(room)
  let active: readonly Named[] = []
  let flushing: Promise<void> | undefined
  let effects: Pick<EffectRunner, 'hasten'> | undefined

  async function flush(): Promise<void> {
    while (changes.hasAny()) {
      const { names, ids, isStale } = changes.take()
      if (isStale) active = await readActive(room)
      const about = active.filter((one) => isAbout(room, one, names)).map(({ id }) => id)
      for (const id of new Set([...ids, ...about])) {
        const bell = running.get(id)
        if (bell) bell.ring()
        else await effects?.hasten(webhookKind, id)
      }
    }
  }

  function begin(): void {
    flushing ??= flush()
      // The database is away: the next change says more.
      .catch(() => changes.addAll([]))
      .finally(() => {
        flushing = undefined
        if (changes.hasAny()) begin()
      })
  }

  return {
    wakeSoon(id) {
      if (id !== undefined) changes.addId(id)
      begin()
    },
    async start(runner) {
      effects = runner
      const told = new Set(namesOf(room))
      room.engine.storage.changes.follow({
        apply(all) {
          for (const change of all) if (told.has(change.resource)) changes.add(change)
          if (changes.hasAny()) begin()
        },
        reset() {
          changes.addAll(told)
          begin()
        },
      })
      active = await readActive(room)
      await leaveMissing(room, active)
      for (const { id } of active) changes.addId(id)
      begin()
    },
    async settled() {
      while (flushing) await flushing
    },
  }
}

export function makeWebhookRuns(room: WebhookRoom): WebhookRuns {
  const running = new Map<string, Bell>()
  const waker = makeWaker(room, running)
  return {
    kind: {
      name: webhookKind,
      async run({ key }, { signal }) {
        const id = key as string
        const bell = running.get(id) ?? makeBell()
        running.set(id, bell)
        const waitMs = await runEndpoint(room, id, { signal, bell })
        if (waitMs !== undefined) throw new EffectAgain(waitMs)
      },
      settled(key) {
        const id = key as string
        const bell = running.get(id)
        running.delete(id)
        if (bell?.isRung()) waker.wakeSoon(id)
      },
      inOrder: true,
      atOnce,
      triesMax: Number.POSITIVE_INFINITY,
      timeoutMs,
      backoff: { firstMs: 1_000, factor: 3, mostMs: 60_000 },
      words: {
        again: 'The run of a webhook endpoint failed, and is tried again',
        givenUp: 'A webhook endpoint is not run any more',
      },
    },
    start: waker.start,
    settled: waker.settled,
  }
}

/** The resources whose changes may wake an endpoint. */
function namesOf({ engine: { catalog }, tables }: WebhookRoom): string[] {
  const kept = [...catalog.resources.values()].filter(({ loggedNames }) => loggedNames)
  return [tables.endpoints, tables.readers, ...kept].map(({ name }) => name)
}
