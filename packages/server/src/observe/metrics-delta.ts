/**
 * The difference between two snapshots of metrics: growth of counters, and quantiles from the
 * buckets of histograms.
 */
import {
  type HistogramSample,
  keyOf,
  type MetricFamily,
  type MetricLabels,
  type MetricSample,
} from './metric-family.ts'

type FamiliesByName = ReadonlyMap<string, MetricFamily>

export type MetricsDelta = {
  readonly seconds: number
  /** The growth of each sample of a counter. */
  grownEach(name: string): readonly MetricSample[]
  /** The growth of a counter, over all of its samples. */
  grown(name: string): number
  /** The value of a gauge now, over all of its samples. */
  now(name: string, where?: (labels: MetricLabels) => boolean): number
  /** The values that each sample of a histogram got meanwhile. */
  spreadEach(name: string): readonly HistogramSample[]
  /** The same over all samples. */
  spread(name: string): HistogramSample
  readonly last: FamiliesByName
}

/** Families at one moment; `atMs` of a monotonic clock. */
export type MetricsSnapshot = { readonly atMs: number; readonly families: FamiliesByName }

export function takeSnapshot(atMs: number, families: readonly MetricFamily[]): MetricsSnapshot {
  return { atMs, families: new Map(families.map((family) => [family.name, family])) }
}

export function samplesOf(family: MetricFamily | undefined): readonly MetricSample[] {
  return family && family.kind !== 'histogram' ? family.samples : []
}
function spreadsOf(family: MetricFamily | undefined): readonly HistogramSample[] {
  return family?.kind === 'histogram' ? family.samples : []
}

function addSpreads(spreads: readonly HistogramSample[]): HistogramSample {
  const counts = new Array<number>(Math.max(0, ...spreads.map((one) => one.counts.length))).fill(0)
  let sum = 0
  for (const one of spreads) {
    for (const [i, count] of one.counts.entries()) counts[i] = (counts[i] ?? 0) + count
    sum += one.sum
  }
  return { labels: {}, counts, sum }
}

/**
 * Totals of a service do not decrease (`process-totals.ts`). If one does, its growth is unknown and
 * counts as 0.
 */
function growth(before: number | undefined, after: number): number {
  return Math.max(0, after - (before ?? 0))
}

/** The earlier values, by the labels of the sample. */
function byKey<T extends { readonly labels: MetricLabels }>(samples: readonly T[]): ReadonlyMap<string, T> {
  return new Map(samples.map((sample) => [keyOf(sample.labels), sample]))
}

export function deltaBetween(first: MetricsSnapshot, last: MetricsSnapshot): MetricsDelta {
  const grownEach = (name: string): MetricSample[] => {
    const before = byKey(samplesOf(first.families.get(name)))
    return samplesOf(last.families.get(name)).map(({ labels, value }) => ({
      labels,
      value: growth(before.get(keyOf(labels))?.value, value),
    }))
  }
  const spreadEach = (name: string): HistogramSample[] => {
    const before = byKey(spreadsOf(first.families.get(name)))
    return spreadsOf(last.families.get(name)).map(({ labels, counts, sum }) => {
      const was = before.get(keyOf(labels))
      return { labels, counts: counts.map((count, i) => growth(was?.counts[i], count)), sum: growth(was?.sum, sum) }
    })
  }
  return {
    seconds: (last.atMs - first.atMs) / 1000,
    grownEach,
    grown: (name) => grownEach(name).reduce((sum, { value }) => sum + value, 0),
    now: (name, where = () => true) =>
      samplesOf(last.families.get(name))
        .filter(({ labels }) => where(labels))
        .reduce((sum, { value }) => sum + value, 0),
    spreadEach,
    spread: (name) => addSpreads(spreadEach(name)),
    last: last.families,
  }
}

export function countOf({ counts }: HistogramSample): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * `quantile(spread, bounds, 0.95)`: interpolated linearly within its bucket; undefined without
 * values.
 */
export function quantile(spread: HistogramSample, bounds: readonly number[], share: number): number | undefined {
  const total = countOf(spread)
  if (total === 0) return undefined
  let below = 0
  for (const [i, count] of spread.counts.entries()) {
    const low = i === 0 ? 0 : (bounds[i - 1] as number)
    const high = bounds[i]
    if (below + count >= share * total) {
      if (high === undefined) return low // above the last bound; how far is not known
      return low + (high - low) * ((share * total - below) / count)
    }
    below += count
  }
  return bounds.at(-1)
}
