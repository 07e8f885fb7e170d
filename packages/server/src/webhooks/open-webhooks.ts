/** Webhooks of a service: the parts of the room, and the kind of work that runs endpoints. */
import type { ServedEngine } from '../accounts/served-engine.ts'
import { type MetricFamily, shared } from '../observe/metric-family.ts'
import { all, equal } from '../resource/condition.ts'
import { findWebhooks, type WebhookCatalog } from '../resource/webhooks/find-webhooks.ts'
import { makeOwnerFeed } from './owner-feed.ts'
import { makeWebhookCounts } from './webhook-counts.ts'
import type { WebhookRoom } from './webhook-room.ts'
import { makeWebhookRuns, type WebhookRuns } from './webhook-runs.ts'

type WebhookLog = { warn(message: string, detail?: unknown): void }
export type Webhooks = { readonly runs: WebhookRuns; families(): Promise<readonly MetricFamily[]> }

/** The endpoints that the server has switched off, and those that fail now. */
async function countTroubled({ storage }: ServedEngine, { endpoints }: WebhookCatalog): Promise<MetricFamily> {
  const has = (field: string, isNull: boolean) => ({ kind: 'null', field, isNull }) as const
  const off = await storage.count(endpoints, all(equal('active', false), has('disabledReason', false)))
  const failing = await storage.count(endpoints, all(equal('active', true), has('failingSince', false)))
  const samples = { 'switched-off': off, failing }
  return shared(
    'bindery_webhook_endpoints',
    'Webhook endpoints that the server has switched off, and those that fail now.',
    Object.entries(samples).map(([state, value]) => ({ labels: { state }, value })),
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
  const fetch = engine.outgoing.guarded('webhooks', { msMax, redirectsMax: 0 })
  const room: WebhookRoom = { engine, tables, feed, seal, fetch, counts, deciding: new Map(), report: log.warn }
  return {
    runs: makeWebhookRuns(room, kept),
    families: async () => [...counts.families(), await countTroubled(engine, tables)],
  }
}
