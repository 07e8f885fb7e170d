/** The actions on endpoints and deliveries: another secret, a test, and deliveries again. */
import { timestampOf } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import { filledIn } from '../../operation/body.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { EngineAction, EngineActions } from '../../record/requested-write.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import { findWebhooks, type WebhookCatalog } from '../../resource/webhooks/find-webhooks.ts'
import { pingEndpoint, replayDelivery, replayEndpoint, rotateSecret } from '../../resource/webhooks/webhook-actions.ts'
import type { Row } from '../../storage/storage.ts'
import { addDeliveries, pingDelivery } from '../delivery-rows.ts'
import { endpointOf, type SecretSeal } from '../webhook-room.ts'
import { declaredNote, drawSecret, sealOf, type WebhookWriteDeps } from './endpoint-steps.ts'

/** Deliveries that one replay sends again. */
const replayMax = 10_000

const rotation =
  (seal: () => SecretSeal): EngineAction['work'] =>
  async ({ tx, requested, record, input: sent }) => {
    if (record.declaredAs !== null)
      throw new ApiError('conflict', `${declaredNote(record.declaredAs)}; its secret is that of the setting`)
    const input = filledIn(rotateSecret.input ?? {}, sent, tx.defaults)
    const { secret, sealed } = drawSecret(seal())
    const overlapMs = Number(input.overlapSeconds ?? 0) * 1000
    const changes = {
      secret: sealed,
      previousSecret: overlapMs > 0 ? record.secret : null,
      previousUntil: overlapMs > 0 ? timestampOf(Date.parse(tx.defaults.now) + overlapMs) : null,
    }
    return { record: await tx.change(requested.resource, record, changes), revealed: { secret } }
  }

function checkActive({ active }: Row): void {
  if (active !== true) throw new ApiError('conflict', 'The endpoint is switched off; switch it on first')
}

/** Leaves a test for it. Throws `conflict` where it is switched off. */
export async function pingOne(tx: RecordTransaction, tables: WebhookCatalog, record: Row): Promise<Row> {
  checkActive(record)
  const endpoint = endpointOf(tables, record)
  const made = [pingDelivery(tx.defaults.now)]
  const [stored] = (await addDeliveries(tx, { tables }, { endpoint, made })) ?? []
  const found = await tx.find(tables.deliveries, equal('id', stored?.id as Scalar))
  return found?.row as Row
}

const ping =
  (tables: WebhookCatalog): EngineAction['work'] =>
  async ({ tx, record }) => ({
    record: await pingOne(tx, tables, record),
    created: true,
    resource: tables.deliveries,
  })

/**
 * These wait again, from their first try on. The row of the reader tells the process that runs it.
 */
async function sendAgain(
  tx: RecordTransaction,
  tables: WebhookCatalog,
  { endpoint, ids }: { readonly endpoint: Row; readonly ids: readonly Scalar[] },
): Promise<void> {
  const { now } = tx.defaults
  const waiting = { state: 'waiting', tries: 0, nextAt: now, endedAt: null, waitingId: endpoint.id }
  await tx.changeAll(tables.deliveries, ids, waiting)
  await addDeliveries(tx, { tables }, { endpoint: endpointOf(tables, endpoint), made: [] })
}

/** Throws `conflict` where a replay would be of more deliveries than one takes. */
export async function replayRange(
  tx: RecordTransaction,
  tables: WebhookCatalog,
  {
    endpoint,
    since,
    until,
    onlyFailed,
  }: {
    readonly endpoint: Row
    readonly since: string
    readonly until: string | undefined
    readonly onlyFailed: boolean
  },
): Promise<number> {
  checkActive(endpoint)
  const between: Condition[] = [
    { kind: 'compare', field: 'createdAt', operator: 'gte', value: since },
    ...(until === undefined ? [] : [{ kind: 'compare', field: 'createdAt', operator: 'lte', value: until } as const]),
    ...(onlyFailed ? [equal('state', 'failed')] : []),
  ]
  const where = all(equal('endpointId', endpoint.id as Scalar), ...between)
  const sort = [{ field: 'id', descending: false }]
  const rows = await tx.list(tables.deliveries, { where, sort, limit: replayMax + 1, after: null })
  if (rows.length > replayMax)
    throw new ApiError('conflict', `The range has more than ${replayMax} deliveries; send a shorter one`)
  if (rows.length > 0) await sendAgain(tx, tables, { endpoint, ids: rows.map(({ id }) => id as Scalar) })
  return rows.length
}

/** Throws `conflict` where its endpoint is gone or switched off. */
export async function replayOne(tx: RecordTransaction, tables: WebhookCatalog, delivery: Row): Promise<Row> {
  const found = await tx.lock(tables.endpoints, equal('id', delivery.endpointId as Scalar))
  if (!found) throw new ApiError('conflict', 'The endpoint of the delivery is gone')
  checkActive(found.row)
  await sendAgain(tx, tables, { endpoint: found.row, ids: [delivery.id as Scalar] })
  return (await tx.find(tables.deliveries, equal('id', delivery.id as Scalar)))?.row as Row
}

const replay =
  (tables: WebhookCatalog): EngineAction['work'] =>
  async ({ tx, record, input: sent }) => {
    const input = filledIn(replayEndpoint.input ?? {}, sent, tx.defaults)
    const { since, until, onlyFailed } = input
    const range = {
      since: String(since),
      until: (until as string | null) ?? undefined,
      onlyFailed: onlyFailed === true,
    }
    const count = await replayRange(tx, tables, { endpoint: record, ...range })
    return { record, output: { count } }
  }

/** Empty in an application without webhooks. */
export function webhookActions(deps: WebhookWriteDeps): EngineActions {
  const tables = findWebhooks(deps.catalog)
  if (!tables) return new Map()
  const seal = () => sealOf(deps)
  return new Map<unknown, EngineAction>([
    [rotateSecret.run, { work: rotation(seal) }],
    [pingEndpoint.run, { work: ping(tables) }],
    [replayEndpoint.run, { work: replay(tables) }],
    [replayDelivery.run, { work: async ({ tx, record }) => ({ record: await replayOne(tx, tables, record) }) }],
  ])
}
