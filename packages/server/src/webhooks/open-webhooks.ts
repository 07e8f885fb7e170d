/** Webhooks of a service: the parts of the room, and the kind of work that runs endpoints. */
import type { ServedEngine } from '../accounts/served-engine.ts'
import type { MetricFamily } from '../observe/metric-family.ts'
import { findWebhooks } from '../resource/webhooks/find-webhooks.ts'
import { makeOwnerFeed } from './owner-feed.ts'
import { makeWebhookCounts } from './webhook-counts.ts'
import type { WebhookRoom } from './webhook-room.ts'
import { makeWebhookRuns, type WebhookRuns } from './webhook-runs.ts'

type WebhookLog = { warn(message: string, detail?: unknown): void }
export type Webhooks = { readonly runs: WebhookRuns; families(): readonly MetricFamily[] }

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
  return { runs: makeWebhookRuns(room, kept), families: counts.families }
}
