/**
 * A histogram: counts values in buckets. Adding one costs a few comparisons and no memory, so that
 * a request can afford several.
 */
import type { HistogramSample, MetricLabels } from './metric-family.ts'

export type Histogram = {
  add(value: number): void
  read(labels: MetricLabels): HistogramSample
}

/** In seconds: for responses and other times that people wait for. */
export const secondsBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const
/** In seconds: for parts of a request. */
export const shortBounds = [0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5] as const
/** In seconds: for work that may take minutes. */
export const workBounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600] as const
/** For sizes of groups. */
export const sizeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const

/** `bounds`: inclusive upper ends of the buckets, in order. */
export function makeHistogram(bounds: readonly number[]): Histogram {
  // Numbers side by side, the sum behind the counts: a sum in a variable would be a new object for
  // each value that is added
  const ends = Float64Array.from(bounds)
  const sumAt = bounds.length + 1
  const numbers = new Float64Array(sumAt + 1)
  return {
    add(value) {
      let i = 0
      while (i < ends.length && value > (ends[i] as number)) i += 1
      numbers[i] = (numbers[i] as number) + 1
      numbers[sumAt] = (numbers[sumAt] as number) + value
    },
    read: (labels) => ({ labels, counts: [...numbers.subarray(0, sumAt)], sum: numbers[sumAt] as number }),
  }
}
