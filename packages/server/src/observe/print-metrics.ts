/**
 * Prints metric families in the text format of Prometheus or OpenMetrics, with `prom-client`. It is
 * loaded only where a metrics port is configured.
 */
import { loadOnce, type OptionalPackage } from '../base/optional-package.ts'
import type { MetricFamily, MetricLabels } from './metric-family.ts'

export const promPackage = { name: 'prom-client' } satisfies OptionalPackage

/** One sample in the form of `prom-client`. */
type PromValue = {
  readonly labels: MetricLabels | Record<string, string | number>
  readonly value: number
  readonly metricName?: string
}

/** Buckets of the text format are cumulative: each counts all values below its bound. */
function valuesOf(family: MetricFamily): PromValue[] {
  if (family.kind !== 'histogram') return [...family.samples]
  const { name, bounds, samples } = family
  return samples.flatMap(({ labels, counts, sum }) => {
    let below = 0
    const buckets = counts.map((count, i) => {
      below += count
      return { labels: { ...labels, le: bounds[i] ?? '+Inf' }, value: below, metricName: `${name}_bucket` }
    })
    return [
      ...buckets,
      { labels, value: sum, metricName: `${name}_sum` },
      { labels, value: below, metricName: `${name}_count` },
    ]
  })
}

export type PrintedMetrics = { readonly type: string; readonly text: string }

/**
 * `accept`: the request's header. OpenMetrics where the header names it, as Prometheus does itself.
 */
export type PrintMetrics = (families: readonly MetricFamily[], accept: string | undefined) => Promise<PrintedMetrics>

export function makePrintMetrics(): PrintMetrics {
  const load = loadOnce(async () => (await import('prom-client')).AggregatorRegistry)
  return async (families, accept) => {
    const registries = await load()
    const isOpen = accept?.includes('application/openmetrics-text') === true
    const metrics = families.map((family) => ({
      // In OpenMetrics the name of a counter lacks the suffix, which its sample has.
      name: isOpen && family.kind === 'counter' ? family.name.replace(/_total$/, '') : family.name,
      help: family.help,
      type: family.kind,
      values: valuesOf(family),
      aggregator: 'sum', // has no effect on a single registry
    }))
    const registry = registries.aggregate([metrics])
    registry.setContentType(isOpen ? registries.OPENMETRICS_CONTENT_TYPE : registries.PROMETHEUS_CONTENT_TYPE)
    return { type: registry.contentType, text: await registry.metrics() }
  }
}
