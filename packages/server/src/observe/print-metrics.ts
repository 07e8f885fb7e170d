/**
 * Families → the text that Prometheus reads, or that of OpenMetrics, by `prom-client`. It is loaded
 * where a port for it is configured.
 */
import { loadOnce, type OptionalPackage } from '../base/optional-package.ts'
import type { MetricFamily, MetricLabels } from './metric-family.ts'

export const promPackage = { name: 'prom-client' } satisfies OptionalPackage

/** One number as `prom-client` has it. */
type PromValue = {
  readonly labels: MetricLabels | Record<string, string | number>
  readonly value: number
  readonly metricName?: string
}

/** A histogram's numbers count whatever is below a bound, those of narrower stretches too. */
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

/** `accept`: the request's header. OpenMetrics where it is named, as Prometheus itself does. */
export type PrintMetrics = (families: readonly MetricFamily[], accept: string | undefined) => Promise<PrintedMetrics>

export function makePrintMetrics(): PrintMetrics {
  const load = loadOnce(async () => (await import('prom-client')).AggregatorRegistry)
  return async (families, accept) => {
    const registries = await load()
    const isOpen = accept?.includes('application/openmetrics-text') === true
    const metrics = families.map((family) => ({
      // There a counter's name is without its ending, which its sample has.
      name: isOpen && family.kind === 'counter' ? family.name.replace(/_total$/, '') : family.name,
      help: family.help,
      type: family.kind,
      values: valuesOf(family),
      aggregator: 'sum', // there is one of each, whatever is said here
    }))
    const registry = registries.aggregate([metrics])
    registry.setContentType(isOpen ? registries.OPENMETRICS_CONTENT_TYPE : registries.PROMETHEUS_CONTENT_TYPE)
    return { type: registry.contentType, text: await registry.metrics() }
  }
}
