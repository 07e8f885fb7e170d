/**
 * Writes the outcomes of effects, many in one transaction: while one batch is written, the next one
 * gathers.
 */
import type { Clock } from '../base/clock.ts'
import { errorOf } from '../base/outcomes/thrown-error.ts'
import type { EffectOutcomes, EffectPlace, RetriedEffect, StoredEffects } from '../storage/stored-effects.ts'
import type { AttemptOutcome } from './attempt.ts'

const batchMax = 500
const errorLengthMax = 1_000
/** While a transaction holds a row, or the database does not answer. */
const pauseMs = 200

type PendingOutcome = { readonly place: EffectPlace; readonly outcome: AttemptOutcome; written(): void }
type WriteOutcomesDeps = {
  readonly effects: Pick<StoredEffects, 'settle'>
  readonly holder: string
  readonly clock: Clock
  /** Told when a batch could not be written, and when one was. */
  failed(error: unknown): void
  succeeded(): void
}

export type OutcomeWriter = {
  /** Resolves when it is written, or the effect is no longer this process's. Never rejects. */
  write(place: EffectPlace, outcome: AttemptOutcome): Promise<void>
  /** From now on nothing that fails is tried again. */
  stop(): void
}

/** A text for people, without characters that a database may refuse. */
export function textOf(error: unknown): string {
  return errorOf(error).message.slice(0, errorLengthMax).replaceAll('\0', '').toWellFormed()
}

function outcomesOf(batch: readonly PendingOutcome[], nowMs: number): EffectOutcomes {
  const later: RetriedEffect[] = []
  const givenUp: (EffectPlace & { error: string })[] = []
  const done: EffectPlace[] = []
  for (const { place, outcome } of batch) {
    if (outcome.end === 'done') done.push(place)
    else if (outcome.end === 'again')
      later.push({ ...place, dueMs: nowMs + outcome.waitMs, error: null, uncounted: true })
    else if (outcome.end === 'given-up') givenUp.push({ ...place, error: textOf(outcome.error) })
    else {
      const { waitMs, error, uncounted = false } = outcome
      later.push({ ...place, dueMs: nowMs + waitMs, error: uncounted ? null : textOf(error), uncounted })
    }
  }
  return { done, later, givenUp }
}

export function makeOutcomeWriter({ effects, holder, clock, failed, succeeded }: WriteOutcomesDeps): OutcomeWriter {
  let waiting: PendingOutcome[] = []
  let writing = false
  let stopped = false

  /** Returns the outcomes that are to be written again. */
  async function writeBatch(batch: readonly PendingOutcome[]): Promise<readonly PendingOutcome[]> {
    try {
      const nowMs = clock()
      const left = new Set(await effects.settle(holder, outcomesOf(batch, nowMs), nowMs))
      for (const { place, written } of batch) if (!left.has(place.id)) written()
      succeeded()
      return batch.filter(({ place }) => left.has(place.id))
    } catch (error) {
      failed(error)
      return batch
    }
  }

  async function writeAll(): Promise<void> {
    if (writing) return
    writing = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax)
      waiting = waiting.slice(batchMax)
      const left = await writeBatch(batch)
      if (stopped)
        for (const { written } of left) written() // their leases end, and others take them
      else if (left.length > 0) setTimeout(() => again(left), pauseMs)
    }
    writing = false
  }

  function again(left: readonly PendingOutcome[]): void {
    waiting.push(...left)
    void writeAll()
  }

  return {
    write: (place, outcome) =>
      new Promise((resolve) => {
        waiting.push({ place, outcome, written: resolve })
        void writeAll()
      }),
    stop() {
      stopped = true
    },
  }
}
