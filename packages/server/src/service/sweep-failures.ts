/**
 * Recent failures of sweeps, noted in the database that they are of: the log has each failure, and
 * the doctor, which is another process, reads this. It never makes a sweep fail.
 */
import { timestampOf } from '../base/clock.ts'
import type { Scalar } from '../resource/condition.ts'
import type { ConfiguredDatabase } from '../storage/database-kind.ts'

/** `move`: the move that records could not take; absent where what has expired was not removed. */
export type SweepFailure = {
  readonly resource: string
  readonly move?: string | undefined
  /** How many records, and one of them. */
  readonly count: number
  readonly id?: Scalar | undefined
  /** The message of the last error. */
  readonly why: string
}
/** `since`: the first of the rounds that failed so, one after another. */
export type RecordedFailure = SweepFailure & { readonly since: string }
type SweepRecord = { readonly at: string; readonly failures: readonly RecordedFailure[] }

const noteName = 'failed sweep'
const failuresMax = 50
const whyLengthMax = 300

/** The names of the notes, for whoever reads them otherwise. */
export const sweepNotes: readonly string[] = [noteName]

/** Failures of the last round; none where all was well. */
export function failuresIn(notes: ReadonlyMap<string, string | undefined>): readonly RecordedFailure[] {
  const text = notes.get(noteName)
  return text === undefined ? [] : (JSON.parse(text) as SweepRecord).failures
}

const isSame = (one: SweepFailure, other: SweepFailure) => one.resource === other.resource && one.move === other.move

/** Keeps what failed in a round in place of what failed before. */
export type RecordSweep = (failures: readonly SweepFailure[], nowMs: number) => Promise<void>

export function makeNoteSweep({ kind, setup }: ConfiguredDatabase): RecordSweep {
  return async (failures, nowMs) => {
    try {
      const before = failuresIn(new Map([[noteName, await kind.findNote(setup, noteName)]]))
      if (failures.length === 0 && before.length === 0) return
      const at = timestampOf(nowMs)
      const noted = failures.slice(0, failuresMax).map((one): RecordedFailure => {
        const since = before.find((other) => isSame(one, other))?.since ?? at
        return { ...one, why: one.why.slice(0, whyLengthMax), since }
      })
      await kind.keepNote(setup, noteName, JSON.stringify({ at, failures: noted } satisfies SweepRecord))
    } catch {
      // The database may be away, or read-only: the log has what failed
    }
  }
}
