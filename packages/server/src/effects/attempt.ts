/**
 * Runs one attempt of an effect under its time limit, and classifies its outcome. An effect that
 * ignores its signal is abandoned at the limit.
 */
import { errorOf } from '../base/outcomes/thrown-error.ts'
import { untilAborted } from '../base/outcomes/until-aborted.ts'
import { inCode } from '../record/guard/code-place.ts'
import { ChainTooLongError } from '../record/leave-effects.ts'
import type { ClaimedEffect, EffectOrigin, EffectPlace } from '../storage/stored-effects.ts'
import { EffectAgain, type EffectKind, EffectRefused, waitAfter } from './effect-kind.ts'
import { makeSteps } from './kept-steps.ts'

export type AttemptOutcome =
  | { readonly end: 'done' }
  | { readonly end: 'later'; readonly waitMs: number; readonly error: unknown; readonly uncounted?: boolean }
  | { readonly end: 'again'; readonly waitMs: number }
  | { readonly end: 'given-up'; readonly error: unknown }

/** The reason of the signal at a stop: the try does not count. */
export class StoppingError extends Error {
  constructor() {
    super('The process stops')
    this.name = 'Stopping'
  }
}

function judge(kind: EffectKind, tries: number, error: unknown): AttemptOutcome {
  if (error instanceof StoppingError) return { end: 'later', waitMs: 0, error, uncounted: true }
  if (error instanceof EffectAgain) return { end: 'again', waitMs: error.waitMs }
  if (error instanceof ChainTooLongError) return { end: 'given-up', error }
  if (error instanceof EffectRefused) return { end: 'given-up', error: error.cause ?? error }
  if (tries >= kind.triesMax) return { end: 'given-up', error }
  return { end: 'later', waitMs: waitAfter(kind.backoff, tries), error }
}

type AttemptDeps = { readonly stopping: AbortSignal; keepSteps(place: EffectPlace, steps: string): Promise<boolean> }

/** Never throws. */
export async function attempt(
  kind: EffectKind,
  claimed: ClaimedEffect,
  { stopping, keepSteps }: AttemptDeps,
): Promise<AttemptOutcome> {
  const { wasLost, payload, context, steps: finished, ...named } = claimed
  if (wasLost && named.tries > kind.triesMax)
    return { end: 'given-up', error: new Error('The process of its last try ended before it did') }
  const limit = new AbortController()
  const seconds = kind.timeoutMs / 1000
  const timer = setTimeout(() => limit.abort(new Error(`It took longer than ${seconds} s`)), kind.timeoutMs)
  const signal = AbortSignal.any([limit.signal, stopping])
  try {
    const step = makeSteps({ finished, keep: (steps) => keepSteps(named, steps), signal })
    await untilAborted(signal, () => {
      const origin = context === null ? null : (JSON.parse(context) as EffectOrigin)
      const effect = { ...named, payload: JSON.parse(payload), origin }
      return inCode(kind.name, () => kind.run(effect, { signal, step }))
    })
    return { end: 'done' }
  } catch (error) {
    return judge(kind, named.tries, errorOf(error))
  } finally {
    clearTimeout(timer)
  }
}
