/**
 * Stores recent failures of sweeps in their database. The log has each failure; the doctor, another
 * process, reads these notes. Storing them never makes a sweep fail.
 */
import { timestampOf } from '../base/clock.ts'
import type { Scalar } from '../resource/condition.ts'
import type { ConfiguredDatabase } from '../storage/database-kind.ts'

/**
 * `move`: the state transition that records could not take; absent where removing expired ones
 * failed.
 */
export type SweepFailure = {
  readonly resource: string
  readonly move?: string | undefined
  /** The number of records, and the id of one. */
  readonly count: number
  readonly id?: Scalar | undefined
  /** The message of the last error. */
  readonly why: string
}
/** `since`: the first of the consecutive rounds that failed this way. */
export type RecordedFailure = SweepFailure & { readonly since: string }
type SweepRecord = { readonly at: string; readonly failures: readonly RecordedFailure[] }

const noteName = 'failed sweep'
const failuresMax = 50
const whyLengthMax = 300

/** The names of the notes, for readers of raw notes. */
export const sweepNotes: readonly string[] = [noteName]

/** Failures of the last round; empty where it succeeded. */
export function failuresIn(notes: ReadonlyMap<string, string | undefined>): readonly RecordedFailure[] {
  const text = notes.get(noteName)
  return text === undefined ? [] : (JSON.parse(text) as SweepRecord).failures
}

const isSame = (one: SweepFailure, other: SweepFailure) => one.resource === other.resource && one.move === other.move

/** Replaces the stored failures by those of the last round. */
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
      // The database may be down or read-only: the log has the failures
    }
  }
}
