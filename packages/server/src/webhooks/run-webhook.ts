/**
 * Runs one endpoint for as long as there is something to do. It reads the changes that the owner
 * may see, stores a delivery for each, sends those that are due, and stores their outcomes. One
 * process at a time runs an endpoint, under the lease of its effect.
 */
import { timestampOf } from '../base/clock.ts'
import { equal } from '../resource/condition.ts'
import type { Principal } from '../resource/principal.ts'
import { lostEvent, pingEvent } from '../resource/webhooks/webhook-words.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Bell } from './bell.ts'
import { chosenOf } from './chosen-fields.ts'
import { type DeliveryQueue, makeDeliveryQueue, type WaitingDelivery } from './delivery-queue.ts'
import {
  addDeliveries,
  type DeliveryOutcome,
  type EndpointReader,
  type NewDelivery,
  readReader,
  readWaiting,
  storeOutcomes,
  waitingOf,
} from './delivery-rows.ts'
import { noteHealth } from './endpoint-health.ts'
import { keepAgain } from './keep-again.ts'
import { pauseOf } from './outcome-of.ts'
import type { OwnerChange, OwnerFeed } from './owner-feed.ts'
import { type EndpointPlaces, makePlaces, sharedPlaces } from './places.ts'
import { isSuccess } from './send-delivery.ts'
import { switchOff } from './switch-off.ts'
import { ownerOf, tryDelivery, typeOf } from './try-delivery.ts'
import { type Endpoint, endpointOf, resourcesOf, type WebhookRoom } from './webhook-room.ts'

/** So many wait as rows; the others wait in the change log. */
const waitingMax = 1_000
const pageLimit = 200
/** A longer run ends and begins again, so that a stop and other processes get their turn. */
const runMsMax = 60_000
/** For so long a body is sent as it was made; later its owner may have other rights. */
const freshMs = 1_000
/** A run awaits deliveries that are due sooner. */
const soonMs = 1_000
/** An endpoint without work looks again after this time. */
const idleMs = 24 * 60 * 60_000

type EndpointRun = { readonly signal: AbortSignal; readonly bell: Bell }

/** The run of one endpoint. `ended`: it has no work any more. */
type RunState = {
  readonly room: WebhookRoom
  readonly signal: AbortSignal
  readonly queue: DeliveryQueue
  readonly again: OwnerFeed['again']
  readonly places: EndpointPlaces
  /** A test waits for no delivery that hangs. */
  readonly testPlaces: EndpointPlaces
  endpoint: Endpoint
  reader: EndpointReader
  owner: { readonly caller: Principal | undefined; readonly untilMs: number }
  /** Whether the log may have more changes for it. */
  hasMore: boolean
  ended: boolean
  /** Outcomes that are not stored yet. */
  readonly outcomes: DeliveryOutcome[]
  /** Reads and writes of its rows come one after another. */
  rows: Promise<unknown>
}

/** Nothing else reads or writes the rows of this endpoint meanwhile. */
function alone<T>(state: RunState, work: () => Promise<T>): Promise<T> {
  const done = state.rows.then(work)
  state.rows = done.catch(() => undefined)
  return done
}

async function readEndpoint({ engine: { storage }, tables }: WebhookRoom, id: string): Promise<Endpoint | undefined> {
  const found = await storage.find(tables.endpoints, equal('id', id))
  const endpoint = found && endpointOf(tables, found.row)
  return endpoint?.active ? endpoint : undefined
}

/** The endpoint as it is now, and deliveries that others have left for it. */
async function reload(state: RunState): Promise<void> {
  const { room, queue } = state
  const endpoint = await readEndpoint(room, state.endpoint.id)
  if (!endpoint || endpoint.inOrder !== state.endpoint.inOrder) {
    state.ended = true
    return
  }
  state.endpoint = endpoint
  state.reader = { ...(await readReader(room, endpoint.id)), place: state.reader.place }
  for (const one of await readWaiting(room, endpoint.id)) queue.add(one)
  state.hasMore = true
}

/** The rights of the owner, of a moment ago at most. Without any the endpoint ends. */
async function callerOf(state: RunState): Promise<Principal | undefined> {
  const { room, endpoint } = state
  const nowMs = room.engine.clock()
  if (state.owner.untilMs <= nowMs) state.owner = { caller: await ownerOf(room, endpoint), untilMs: nowMs + freshMs }
  if (!state.owner.caller) {
    await switchOff(room, endpoint, 'Its owner may not act any more, or has left the tenant')
    state.ended = true
  }
  return state.owner.caller
}

function newOf(change: OwnerChange): NewDelivery {
  const { resource, id, before, place, atMs } = change
  return { event: typeOf(change), resource: resource.slug, recordId: id, before, place, at: timestampOf(atMs) }
}

async function store(
  state: RunState,
  made: readonly NewDelivery[],
  place: string,
): Promise<readonly WaitingDelivery[]> {
  const { room, endpoint } = state
  const { records } = room.engine
  const rows = await records.transaction(serviceAuthor, (tx) => addDeliveries(tx, room, { endpoint, made, place }))
  if (!rows) {
    state.ended = true
    return []
  }
  state.reader = { ...state.reader, place, count: state.reader.count + made.length }
  return rows.map(waitingOf)
}

/** Reads the next changes, and stores a delivery for each, with how far it has read. */
async function fill(state: RunState): Promise<void> {
  const { room, endpoint, queue, reader } = state
  const caller = await callerOf(state)
  if (!caller) return
  const { filters, events } = endpoint
  const resources = resourcesOf(room, endpoint)
  const page = await room.feed.read({ caller, after: reader.place, resources, filters, most: pageLimit })
  if ('wrong' in page) {
    await switchOff(room, endpoint, `Its filter is not one any more: ${page.wrong}`)
    state.ended = true
    return
  }
  if ('lost' in page) {
    room.counts.add('lost')
    const nothing = { resource: null, recordId: null, before: null, place: null }
    const made = { ...nothing, event: lostEvent, at: timestampOf(room.engine.clock()) }
    for (const one of await store(state, [made], page.lost)) queue.add(one)
    return
  }
  state.hasMore = !page.isEnd
  room.deciding.set(endpoint.id, page.deciding)
  if (page.place === reader.place) return
  const wanted = page.changes
    .filter(({ event }) => events === null || events.includes(event))
    .flatMap((one) => chosenOf(endpoint, one) ?? [])
  const stored = await store(state, wanted.map(newOf), page.place)
  const untilMs = room.engine.clock() + freshMs
  stored.forEach((one, at) => {
    queue.add({ ...one, fresh: { data: (wanted[at] as OwnerChange).data, untilMs } })
  })
}

function count({ counts }: WebhookRoom, { state, tried }: DeliveryOutcome): void {
  counts.add(isSuccess(tried) ? 'delivered' : 'failed')
  if (state === 'failed') counts.add('given-up')
}

/** Stores the outcomes that there are. */
async function storeAll(state: RunState): Promise<void> {
  const { room, endpoint, queue, outcomes } = state
  const batch = outcomes.splice(0)
  if (batch.length === 0) return
  const pauses = batch.map(({ tried }) => pauseOf(tried)).filter((one) => one !== undefined)
  const pausedUntilMs = pauses.length > 0 ? Math.max(...pauses) : undefined
  const stored = await storeOutcomes(room, endpoint, { outcomes: batch, pausedUntilMs })
  if (pausedUntilMs !== undefined) state.reader = { ...state.reader, pausedUntilMs }
  for (const one of stored) {
    queue.settle(one.delivery, one.later)
    count(room, one)
  }
  const healthy = await noteHealth(room, endpoint, batch)
  if (healthy) state.endpoint = healthy
  else state.ended = true
}

/** Returns whether its endpoint has answered; undefined where nothing was sent. */
async function deliver(state: RunState, delivery: WaitingDelivery): Promise<boolean | undefined> {
  const { room, endpoint, signal, outcomes, again } = state
  const caller = await callerOf(state)
  if (!caller) return undefined
  const outcome = await tryDelivery(room, { endpoint, caller, delivery, again }, signal)
  if (!outcome) {
    await switchOff(room, endpoint, 'Its secret cannot be decrypted any more: rotate it, and switch it on')
    state.ended = true
    return undefined
  }
  outcomes.push(outcome)
  await alone(state, () => storeAll(state))
  const { url, status } = outcome.tried
  return url === undefined ? undefined : status !== undefined
}

async function begin(room: WebhookRoom, id: string, signal: AbortSignal): Promise<RunState | undefined> {
  const endpoint = await readEndpoint(room, id)
  if (!endpoint) return undefined
  const reader = await readReader(room, id)
  const place = reader.place || (endpoint.begin ?? (await room.feed.end()))
  const queue = makeDeliveryQueue(endpoint.inOrder)
  for (const one of await readWaiting(room, id)) queue.add(one)
  const again = keepAgain(room.feed.again, { clock: room.engine.clock, keptMs: freshMs })
  const known = { room, signal, queue, again, endpoint, reader: { ...reader, place }, rows: Promise.resolve() }
  const places = { places: makePlaces(room.places), testPlaces: makePlaces(sharedPlaces(0)) }
  return { ...known, ...places, owner: { caller: undefined, untilMs: 0 }, hasMore: true, ended: false, outcomes: [] }
}

/** Milliseconds until the next delivery is due. */
function dueIn({ room, queue, reader }: RunState): number {
  const nextMs = queue.nextMs()
  if (nextMs === undefined) return idleMs
  return Math.max(0, Math.max(nextMs, reader.pausedUntilMs) - room.engine.clock())
}

const wantsMore = ({ hasMore, queue }: RunState) => hasMore && queue.size < waitingMax

/** The deliveries that are being sent. */
type Sending = {
  readonly running: Set<Promise<void>>
  failure: { readonly error: unknown } | undefined
}

const isOver = (state: RunState, { failure }: Sending) => state.ended || failure !== undefined || state.signal.aborted

type Wanted = { readonly places: EndpointPlaces; readonly isWanted?: (delivery: WaitingDelivery) => boolean }

/** Begins as many as are due, and as there are places. */
function sendDue(state: RunState, sending: Sending, { places, isWanted }: Wanted): void {
  const { room, queue } = state
  const { running } = sending
  while (places.isFree() && dueIn(state) === 0) {
    const next = queue.take(room.engine.clock(), isWanted)
    if (!next) return
    places.take()
    const work = deliver(state, next)
      .catch((error) => {
        sending.failure ??= { error }
        return undefined
      })
      .then((answered) => {
        places.end(answered)
        running.delete(work)
      })
    running.add(work)
  }
}

/** One round. Returns whether there is nothing to do for a while. */
async function turn(state: RunState, sending: Sending, { bell, isLong }: { bell: Bell; isLong: boolean }) {
  const { running } = sending
  const news = bell.take()
  // The news may be that the owner has other rights.
  if (news.size > 0) state.owner = { caller: undefined, untilMs: 0 }
  if (news.has('rows')) await alone(state, () => reload(state))
  else if (news.has('log')) state.hasMore = true
  if (!isOver(state, sending) && wantsMore(state)) await alone(state, () => fill(state))
  if (!isOver(state, sending) && !isLong) {
    sendDue(state, sending, { places: state.testPlaces, isWanted: ({ event }) => event === pingEvent })
    sendDue(state, sending, state)
  }
  const waitMs = dueIn(state)
  const hasMore = wantsMore(state) && !isLong
  if (running.size === 0 && (isLong || (!hasMore && waitMs > soonMs && !bell.isRung()))) return true
  if (isOver(state, sending) || hasMore) return false
  await bell.wait(state.places.isFree() && !isLong ? waitMs : idleMs, running)
  return false
}

/**
 * Resolves with the milliseconds after which it is to run again; undefined where it has no work any
 * more. Throws what its rows or `signal` throw.
 */
export async function runEndpoint(
  room: WebhookRoom,
  id: string,
  { signal, bell }: EndpointRun,
): Promise<number | undefined> {
  const beganMs = performance.now()
  const state = await begin(room, id, signal)
  if (!state) return undefined
  const sending: Sending = { running: new Set(), failure: undefined }
  try {
    for (let isIdle = false; !isIdle && !isOver(state, sending); )
      isIdle = await turn(state, sending, { bell, isLong: performance.now() - beganMs > runMsMax })
  } finally {
    await Promise.all(sending.running)
  }
  signal.throwIfAborted()
  if (sending.failure) throw sending.failure.error
  if (state.ended) return (await readEndpoint(room, id)) ? 0 : undefined
  return wantsMore(state) ? 0 : dueIn(state)
}
