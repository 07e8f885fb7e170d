/**
 * Metrics of effects: the outcomes of attempts in this process by kind, and how many wait in the
 * database.
 */
import { makeHistogram, workBounds } from '../observe/histogram.ts'
import { counter, histogram, type MetricFamily, type MetricSample, shared } from '../observe/metric-family.ts'
import type { StoredEffects } from '../storage/stored-effects.ts'
import type { EffectKind } from './effect-kind.ts'

/** `lost`: a claim that ended with its lease. */
const results = ['done', 'failed', 'given-up', 'lost'] as const
export type EffectResult = (typeof results)[number]

export type EffectCounts = {
  add(kind: string, result: EffectResult): void
  /** A try that has ended, however it went. */
  took(kind: string, ms: number): void
  families(): readonly MetricFamily[]
}

export function makeEffectCounts(kinds: readonly Pick<EffectKind, 'name'>[]): EffectCounts {
  const times = new Map(kinds.map(({ name }) => [name, makeHistogram(workBounds)]))
  const counts = new Map(kinds.map(({ name }) => [name, new Map(results.map((result) => [result, 0]))]))
  return {
    add(kind, result) {
      const of = counts.get(kind)
      of?.set(result, (of.get(result) ?? 0) + 1)
    },
    took: (kind, ms) => times.get(kind)?.add(ms / 1000),
    families() {
      const spreads = [...times].map(([kind, of]) => of.read({ kind }))
      const samples = [...counts].flatMap(([kind, of]) =>
        [...of].map(([result, value]): MetricSample => ({ labels: { kind, result }, value })),
      )
      const help = 'Tries of effects, by kind and what became of them; lost: claims that ended with their process.'
      return [
        counter('bindery_effect_tries_total', help, samples),
        histogram('bindery_effect_duration_seconds', 'Time of the tries of effects.', {
          bounds: workBounds,
          samples: spreads,
        }),
      ]
    },
  }
}

/** Of all processes, as the database has it. */
export async function storedFamilies(
  effects: Pick<StoredEffects, 'depths'>,
  { kinds, nowMs }: { readonly kinds: readonly string[]; readonly nowMs: number },
): Promise<readonly MetricFamily[]> {
  const depths = await effects.depths(nowMs)
  const ages = new Map(kinds.map((kind) => [kind, 0]))
  for (const { kind, state, oldestMs } of depths)
    if (state !== 'given-up') ages.set(kind, Math.max(ages.get(kind) ?? 0, (nowMs - oldestMs) / 1000))
  const samples = depths.map(({ kind, state, count }): MetricSample => ({ labels: { kind, state }, value: count }))
  const oldest = [...ages].map(([kind, value]): MetricSample => ({ labels: { kind }, value }))
  return [
    shared('bindery_effects', 'Effects that are not done, by kind and state.', samples),
    shared('bindery_effects_oldest_seconds', 'Age of the oldest that waits or runs.', oldest),
  ]
}
