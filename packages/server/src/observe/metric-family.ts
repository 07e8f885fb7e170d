/**
 * The data model of metrics, as in Prometheus: families of samples, as plain data. Processes send
 * families to each other, and printers print them; none of them knows what the numbers mean.
 */

export type MetricLabels = Readonly<Record<string, string>>

export type MetricSample = { readonly labels: MetricLabels; readonly value: number }

/** The number of values in each bucket; the last bucket has no upper bound. */
export type HistogramSample = {
  readonly labels: MetricLabels
  readonly counts: readonly number[]
  readonly sum: number
}

type MetricName = {
  /** The printed name with its unit: `bindery_commit_seconds`; a counter's ends in `_total`. */
  readonly name: string
  /** One sentence. */
  readonly help: string
}

export type MetricFamily = MetricName &
  (
    | {
        readonly kind: 'counter' | 'gauge'
        /**
         * How values of several processes are joined: added, or the maximum, where all report the
         * same.
         */
        readonly across: 'sum' | 'max'
        readonly samples: readonly MetricSample[]
      }
    | { readonly kind: 'histogram'; readonly bounds: readonly number[]; readonly samples: readonly HistogramSample[] }
  )

/** One number, or several with labels. */
type Given = number | readonly MetricSample[]

const samplesIn = (given: Given) => (typeof given === 'number' ? [{ labels: {}, value: given }] : given)

export function counter(name: string, help: string, given: Given): MetricFamily {
  return { name, help, kind: 'counter', across: 'sum', samples: samplesIn(given) }
}

export function gauge(name: string, help: string, given: Given): MetricFamily {
  return { name, help, kind: 'gauge', across: 'sum', samples: samplesIn(given) }
}

/** A metric for which all processes report the same value. */
export function shared(name: string, help: string, given: Given): MetricFamily {
  return { name, help, kind: 'gauge', across: 'max', samples: samplesIn(given) }
}

type Spreads = { readonly bounds: readonly number[]; readonly samples: readonly HistogramSample[] }

export function histogram(name: string, help: string, spreads: Spreads): MetricFamily {
  return { name, help, kind: 'histogram', ...spreads }
}

/** The identity of a sample within its family. */
export function keyOf(labels: MetricLabels): string {
  return JSON.stringify(labels)
}

function joinSamples(across: 'sum' | 'max', all: readonly MetricSample[]): MetricSample[] {
  const joined = new Map<string, MetricSample>()
  for (const { labels, value } of all) {
    const known = joined.get(keyOf(labels))
    const both = across === 'sum' ? (known?.value ?? 0) + value : Math.max(known?.value ?? value, value)
    joined.set(keyOf(labels), { labels, value: both })
  }
  return [...joined.values()]
}

function joinSpreads(all: readonly HistogramSample[]): HistogramSample[] {
  const joined = new Map<string, HistogramSample>()
  for (const { labels, counts, sum } of all) {
    const known = joined.get(keyOf(labels))
    const both = counts.map((count, i) => count + (known?.counts[i] ?? 0))
    joined.set(keyOf(labels), { labels, counts: both, sum: sum + (known?.sum ?? 0) })
  }
  return [...joined.values()]
}

function join(a: MetricFamily, b: MetricFamily): MetricFamily {
  if (a.kind === 'histogram') {
    return b.kind === 'histogram' ? { ...a, samples: joinSpreads([...a.samples, ...b.samples]) } : a
  }
  return b.kind === 'histogram' ? a : { ...a, samples: joinSamples(a.across, [...a.samples, ...b.samples]) }
}

/** Joins the families of several processes, or of several parts of one. */
export function joinFamilies(lists: readonly (readonly MetricFamily[])[]): MetricFamily[] {
  const joined = new Map<string, MetricFamily>()
  for (const family of lists.flat()) {
    const known = joined.get(family.name)
    joined.set(family.name, known ? join(known, family) : family)
  }
  return [...joined.values()]
}
