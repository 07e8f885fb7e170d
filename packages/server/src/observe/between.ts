/** What happened between two looks at the same families: differences of counters, and how long most took, from the stretches of histograms. */
import type { Family, Labels, Spread } from './family.ts'

type Numbers = ReadonlyMap<string, Family>

export type Between = {
  readonly seconds: number
  /** How much a counter has grown, in all samples that have these labels. */
  grown(name: string, where?: (labels: Labels) => boolean): number
  /** A gauge now, its samples added. */
  now(name: string, where?: (labels: Labels) => boolean): number
  /** What fell into a histogram meanwhile. */
  spread(name: string, where?: (labels: Labels) => boolean): Spread
  readonly first: Numbers
  readonly last: Numbers
}

/** Families at one moment; `atMs` of a clock that only goes forward. */
export type Look = { readonly atMs: number; readonly families: Numbers }

export function lookAt(atMs: number, families: readonly Family[]): Look {
  return { atMs, families: new Map(families.map((family) => [family.name, family])) }
}

const everything = () => true

export function samplesOf(family: Family | undefined): readonly { labels: Labels; value: number }[] {
  return family && family.kind !== 'histogram' ? family.samples : []
}
export function spreadsOf(family: Family | undefined): readonly Spread[] {
  return family?.kind === 'histogram' ? family.samples : []
}

function addSpreads(spreads: readonly Spread[]): Spread {
  const counts = new Array<number>(Math.max(0, ...spreads.map((one) => one.counts.length))).fill(0)
  let sum = 0
  for (const one of spreads) {
    for (const [i, count] of one.counts.entries()) counts[i] = (counts[i] ?? 0) + count
    sum += one.sum
  }
  return { labels: {}, counts, sum }
}

/** A process that started anew counts from nothing: then all that it has is new. */
function growth(before: number, after: number): number {
  return after >= before ? after - before : after
}

export function between(first: Look, last: Look): Between {
  const total = ({ families }: Look, name: string, where: (labels: Labels) => boolean) =>
    samplesOf(families.get(name))
      .filter(({ labels }) => where(labels))
      .reduce((sum, { value }) => sum + value, 0)
  const spreadAt = ({ families }: Look, name: string, where: (labels: Labels) => boolean) =>
    addSpreads(spreadsOf(families.get(name)).filter(({ labels }) => where(labels)))
  return {
    seconds: (last.atMs - first.atMs) / 1000,
    grown: (name, where = everything) => growth(total(first, name, where), total(last, name, where)),
    now: (name, where = everything) => total(last, name, where),
    spread(name, where = everything) {
      const [before, after] = [spreadAt(first, name, where), spreadAt(last, name, where)]
      const counts = after.counts.map((count, i) => growth(before.counts[i] ?? 0, count))
      return { labels: {}, counts, sum: growth(before.sum, after.sum) }
    },
    first: first.families,
    last: last.families,
  }
}

export function countOf({ counts }: Spread): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** `quantile(spread, bounds, 0.95)`: the upper end of the stretch in which it is, straight lines within; undefined where nothing fell. */
export function quantile({ counts }: Spread, bounds: readonly number[], share: number): number | undefined {
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
