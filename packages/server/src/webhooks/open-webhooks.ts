/** Webhooks of a service: the parts of the room, and the kind of work that runs endpoints. */
import type { ServedEngine } from '../accounts/served-engine.ts'
import { type MetricFamily, shared } from '../observe/metric-family.ts'
import { findWebhooks, type WebhookCatalog } from '../resource/webhooks/find-webhooks.ts'
import { dueBefore, failing, switchedOff } from '../resource/webhooks/webhook-troubles.ts'
import { makeOwnerFeed } from './owner-feed.ts'
import { sharedPlaces } from './places.ts'
import { makeWebhookCounts } from './webhook-counts.ts'
import type { WebhookRoom } from './webhook-room.ts'
import { makeWebhookRuns, type WebhookRuns } from './webhook-runs.ts'

type WebhookLog = { warn(message: string, detail?: unknown): void }
export type Webhooks = { readonly runs: WebhookRuns; families(): Promise<readonly MetricFamily[]> }

/** The endpoints that the server has switched off, and those that fail now. */
async function countTroubled({ storage }: ServedEngine, { endpoints }: WebhookCatalog): Promise<MetricFamily> {
  const counts = [switchedOff, failing].map(async (where) => storage.count(endpoints, where))
  const [off, now] = (await Promise.all(counts)) as [number, number]
  const samples = { 'switched-off': off, failing: now }
  return shared(
    'bindery_webhook_endpoints',
    'Webhook endpoints that the server has switched off, and those that fail now.',
    Object.entries(samples).map(([state, value]) => ({ labels: { state }, value })),
  )
}

/** How late the delivery is that is due longest, to an endpoint that works. */
async function readLate({ storage, clock }: ServedEngine, tables: WebhookCatalog): Promise<MetricFamily> {
  const nowMs = clock()
  const sort = [{ field: 'nextAt', descending: false }]
  const request = { where: dueBefore(tables, nowMs), sort, limit: 1, after: null }
  const [first] = await storage.list(tables.deliveries, request)
  const lateMs = first ? nowMs - Date.parse(String(first.nextAt)) : 0
  return shared(
    'bindery_webhook_late_seconds',
    'How late the delivery is that is due longest. Those to endpoints that fail do not count.',
    lateMs / 1000,
  )
}

/** Undefined in an application without webhooks. */
export function openWebhooks(engine: ServedEngine, log: WebhookLog): Webhooks | undefined {
  const tables = findWebhooks(engine.catalog)
  const seal = engine.identity.storedSeal
  const feed = tables && makeOwnerFeed(engine)
  const { kept } = engine.storage.changes
  if (!tables || !feed || !seal || !kept) return undefined
  const counts = makeWebhookCounts()
  const msMax = tables.times.timeoutSeconds * 1000
  // Endpoints bound their requests themselves, so that those at one host do not wait for another.
  const bounds = { msMax, redirectsMax: 0, connectionsPerHost: Number.POSITIVE_INFINITY }
  const fetch = engine.outgoing.guarded('webhooks', bounds)
  const known = { engine, tables, feed, seal, fetch, counts }
  const room: WebhookRoom = { ...known, deciding: new Map(), places: sharedPlaces(), report: log.warn }
  return {
    runs: makeWebhookRuns(room, kept),
    families: async () => [
      ...counts.families(),
      ...(await Promise.all([countTroubled(engine, tables), readLate(engine, tables)])),
    ],
  }
}
