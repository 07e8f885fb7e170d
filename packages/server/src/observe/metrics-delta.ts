/**
 * What happened between two looks at the same families: differences of counters, and how long most
 * took, from the stretches of histograms.
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
  /** How much each sample of a counter has grown. */
  grownEach(name: string): readonly MetricSample[]
  /** How much a counter has grown, its samples together. */
  grown(name: string): number
  /** A gauge now, its samples added. */
  now(name: string, where?: (labels: MetricLabels) => boolean): number
  /** What fell into each sample of a histogram meanwhile. */
  spreadEach(name: string): readonly HistogramSample[]
  /** The same for its samples together. */
  spread(name: string): HistogramSample
  readonly last: FamiliesByName
}

/** Families at one moment; `atMs` of a clock that only goes forward. */
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
 * Sums of a service do not go back (`process-totals.ts`). Where one does all the same, nobody knows
 * how much was new: nothing is invented.
 */
function growth(before: number | undefined, after: number): number {
  return Math.max(0, after - (before ?? 0))
}

/** By the labels of a sample, what it was. */
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
 * `quantile(spread, bounds, 0.95)`: the upper end of the stretch in which it is, straight lines
 * within; undefined where nothing fell.
 */
export function quantile({ counts }: HistogramSample, bounds: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  let below = 0
  for (const [i, count] of counts.entries()) {
    const low = i === 0 ? 0 : (bounds[i - 1] as number)
    const high = bounds[i]
    if (below + count >= share * total) {
      if (high === undefined) return low // longer than the last bound; nobody knows how much
      return low + (high - low) * ((share * total - below) / count)
    }
    below += count
  }
  return bounds.at(-1)
}
