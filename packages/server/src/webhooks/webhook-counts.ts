/** Metrics of webhooks: the tries of this process, and the endpoints that are switched off. */
import { makeHistogram, workBounds } from '../observe/histogram.ts'
import { counter, histogram, type MetricFamily } from '../observe/metric-family.ts'

/** `given-up`: it was the last try. `lost`: changes that could not be told. */
const results = ['delivered', 'failed', 'given-up', 'lost', 'switched-off'] as const
export type WebhookResult = (typeof results)[number]

export type WebhookCounts = {
  add(result: WebhookResult): void
  took(ms: number): void
  families(): readonly MetricFamily[]
}

export function makeWebhookCounts(): WebhookCounts {
  const times = makeHistogram(workBounds)
  const counts = new Map(results.map((result) => [result, 0]))
  return {
    add: (result) => void counts.set(result, (counts.get(result) ?? 0) + 1),
    took: (ms) => times.add(ms / 1000),
    families: () => [
      counter(
        'bindery_webhook_deliveries_total',
        'Tries of deliveries to webhook endpoints, by what became of them.',
        [...counts].map(([result, value]) => ({ labels: { result }, value })),
      ),
      histogram('bindery_webhook_duration_seconds', 'Time of the tries of deliveries.', {
        bounds: workBounds,
        samples: [times.read({})],
      }),
    ],
  }
}
