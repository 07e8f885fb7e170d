/** Kinds of effects for tests: none waits unless a test says so. */
import type { EffectKind } from '../../src/effects/effect-kind.ts'

export function kindOf(name: string, run: EffectKind['run'], others: Partial<EffectKind> = {}): EffectKind {
  return {
    name,
    run,
    inOrder: false,
    atOnce: 20,
    triesMax: 3,
    timeoutMs: 600_000,
    backoff: { firstMs: 1_000, factor: 2, mostMs: 60_000 },
    words: { again: `${name} again`, givenUp: `${name} given up` },
    ...others,
  }
}
