/** The rows of deliveries, attempts and readers, as the run of an endpoint has them. */
import { timestampOf } from '../base/clock.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import { all, equal } from '../resource/condition.ts'
import { pingEvent } from '../resource/webhooks/webhook-words.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Row, Values } from '../storage/storage.ts'
import type { WaitingDelivery } from './delivery-queue.ts'
import type { TriedDelivery } from './send-delivery.ts'
import type { Endpoint, WebhookRoom } from './webhook-room.ts'

/** How far an endpoint has read. */
export type EndpointReader = { readonly place: string; readonly count: number; readonly pausedUntilMs: number }

/** An event that is to be delivered. The members of a record are null for one about none. */
export type NewDelivery = Pick<WaitingDelivery, 'event' | 'resource' | 'recordId' | 'before' | 'place' | 'at'>

export const pingDelivery = (at: string): NewDelivery => ({
  ...{ event: pingEvent, resource: null, recordId: null, before: null, place: null, at },
})

function belongs({ tables }: Pick<WebhookRoom, 'tables'>, { id, userId, tenant }: Endpoint): Values {
  const { tenantField } = tables
  return { endpointId: id, userId, ...(tenantField !== undefined && tenant && { [tenantField]: tenant.id }) }
}

/** The values of a new delivery that waits. */
export function deliveryValues(
  room: Pick<WebhookRoom, 'tables'>,
  endpoint: Endpoint,
  { made, number, now }: { readonly made: NewDelivery; readonly number: number; readonly now: string },
): Values {
  return { ...belongs(room, endpoint), ...made, number, nextAt: now, waitingId: endpoint.id, state: 'waiting' }
}

export function waitingOf(row: Values): WaitingDelivery {
  const { id, event, resource, recordId, before, place, at, tries, nextAt } = row as Record<string, string>
  const known = { id, event, resource, recordId, before, place, at } as Omit<WaitingDelivery, 'tries' | 'nextMs'>
  return { ...known, tries: Number(tries ?? 0), nextMs: nextAt ? Date.parse(nextAt) : 0 }
}

/** Rows that are read at once. */
const rowsAtOnce = 1_000

/**
 * All of the endpoint that wait, the oldest first: without the last ones, later changes would go
 * before them.
 */
export async function readWaiting(
  { engine: { storage }, tables }: Pick<WebhookRoom, 'engine' | 'tables'>,
  endpoint: string,
): Promise<readonly WaitingDelivery[]> {
  const sort = [{ field: 'number', descending: false }]
  const found: WaitingDelivery[] = []
  for (let from = 0; ; ) {
    const behind = { kind: 'compare', field: 'number', operator: 'gt', value: from } as const
    const where = all(equal('waitingId', endpoint), behind)
    const rows = await storage.list(tables.deliveries, { where, sort, limit: rowsAtOnce, after: null })
    found.push(...rows.map(waitingOf))
    if (rows.length < rowsAtOnce) return found
    from = Number(rows.at(-1)?.number)
  }
}

export const noReader: EndpointReader = { place: '', count: 0, pausedUntilMs: 0 }

function readerOf({ place, count, pausedUntil }: Row): EndpointReader {
  const pausedUntilMs = pausedUntil === null ? 0 : Date.parse(String(pausedUntil))
  return { place: String(place), count: Number(count), pausedUntilMs }
}

type RoomTables = Pick<WebhookRoom, 'tables'>

export async function readReader(
  { engine: { storage }, tables }: Pick<WebhookRoom, 'engine' | 'tables'>,
  endpoint: string,
): Promise<EndpointReader> {
  const found = await storage.find(tables.readers, equal('id', endpoint))
  return found ? readerOf(found.row) : noReader
}

/** Its row, locked; made where there is none. */
async function lockReader(tx: RecordTransaction, { tables: { readers } }: RoomTables, endpoint: string): Promise<Row> {
  const where = equal('id', endpoint)
  const found = await tx.lock(readers, where)
  if (found) return found.row
  return tx.insert(await tx.prepare(readers, { id: endpoint, endpointId: endpoint }))
}

/**
 * Stores new deliveries, and that the endpoint has read as far. Returns them as they wait;
 * undefined where the endpoint is gone.
 */
export async function addDeliveries(
  tx: RecordTransaction,
  room: RoomTables,
  {
    endpoint,
    made,
    place,
  }: {
    readonly endpoint: Endpoint
    readonly made: readonly NewDelivery[]
    /** Absent: as far as before. */
    readonly place?: string
  },
): Promise<readonly Values[] | undefined> {
  if (!(await tx.lock(room.tables.endpoints, equal('id', endpoint.id)))) return undefined
  const reader = await lockReader(tx, room, endpoint.id)
  const { count } = readerOf(reader)
  const { now } = tx.defaults
  const rows = made.map((one, at) => deliveryValues(room, endpoint, { made: one, number: count + at + 1, now }))
  const stored = rows.length > 0 ? await tx.storeNotes(room.tables.deliveries, rows) : []
  const moved = { count: count + rows.length, ...(place !== undefined && { place }) }
  await tx.change(room.tables.readers, reader, moved)
  return stored
}

/** A delivery after its try. `later`: as it waits; undefined where it has ended. */
export type DeliveryOutcome = {
  readonly delivery: WaitingDelivery
  readonly tried: TriedDelivery
  readonly state: 'waiting' | 'delivered' | 'failed'
  readonly later: WaitingDelivery | undefined
}

/**
 * Those that wait again, though their try has ended. A replay was asked meanwhile, or the endpoint
 * has another address than the one where it failed.
 */
async function readAgain(
  tx: RecordTransaction,
  { tables: { endpoints, deliveries } }: RoomTables,
  { endpoint, outcomes }: { readonly endpoint: string; readonly outcomes: readonly DeliveryOutcome[] },
): Promise<ReadonlyMap<string, WaitingDelivery>> {
  // Replays take this lock first, and give their deliveries another time.
  const url = (await tx.lock(endpoints, equal('id', endpoint)))?.row.url
  const where = { kind: 'in', field: 'id', values: outcomes.map(({ delivery }) => delivery.id) } as const
  const sort = [{ field: 'id', descending: false }]
  const rows = await tx.list(deliveries, { where, sort, limit: outcomes.length, after: null })
  const stored = new Map(rows.map((row) => [row.id, waitingOf(row)]))
  const nextMs = Date.parse(tx.defaults.now)
  return new Map(
    outcomes.flatMap(({ delivery, tried, state }) => {
      const known = stored.get(delivery.id)
      if (!known) return []
      if (known.nextMs !== delivery.nextMs) return [[delivery.id, known]]
      const isMoved = url !== undefined && tried.url !== undefined && url !== tried.url
      return isMoved && state !== 'delivered' ? [[delivery.id, { ...known, tries: 0, nextMs }]] : []
    }),
  )
}

/** Stores tries with what became of their deliveries. Returns these outcomes. */
export async function storeOutcomes(
  { engine: { records, clock }, tables }: WebhookRoom,
  endpoint: Endpoint,
  {
    outcomes,
    pausedUntilMs,
  }: { readonly outcomes: readonly DeliveryOutcome[]; readonly pausedUntilMs: number | undefined },
): Promise<readonly DeliveryOutcome[]> {
  const room = { tables }
  return records.transaction(serviceAuthor, async (tx) => {
    const again = await readAgain(tx, room, { endpoint: endpoint.id, outcomes })
    const attempts = outcomes.map(({ delivery, tried }) => ({
      ...belongs(room, endpoint),
      ...{ deliveryId: delivery.id, at: timestampOf(tried.atMs), tookMs: tried.tookMs },
      ...{ status: tried.status ?? null, error: tried.error ?? null, answer: tried.answer ?? null },
    }))
    await tx.storeNotes(tables.attempts, attempts)
    const now = timestampOf(clock())
    const stored = outcomes.map((one): DeliveryOutcome => {
      const later = again.get(one.delivery.id)
      return later ? { ...one, state: 'waiting', later } : one
    })
    const changes = stored.map(({ delivery: { id, tries }, tried: { status = null }, state, later }) => {
      const end = later ? { nextAt: timestampOf(later.nextMs) } : { nextAt: null, endedAt: now, waitingId: null }
      return { id, values: { state, status, tries: later?.tries ?? tries + 1, ...end } }
    })
    // One statement for all that end alike.
    for (const alike of Map.groupBy(changes, ({ values }) => JSON.stringify(values)).values())
      await tx.changeAll(
        tables.deliveries,
        alike.map(({ id }) => id),
        (alike[0] as (typeof alike)[number]).values,
      )
    if (pausedUntilMs !== undefined) {
      const reader = await lockReader(tx, room, endpoint.id)
      await tx.change(tables.readers, reader, { pausedUntil: timestampOf(pausedUntilMs) })
    }
    return stored
  })
}
