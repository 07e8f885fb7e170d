/**
 * Jobs as the code of an application uses them: what a job is given when it runs, and how other
 * code adds and cancels one.
 */
import type { KnownCaller } from '../code/acting-caller.ts'
import { anyTextKind } from '../code/call-options.ts'
import type { CallerRecords, OutsideCode } from '../code/code-context.ts'
import type { RunStep } from '../effects/effect-step.ts'
import type { Fields } from '../fields/field.ts'
import { timestampMs } from '../fields/times/timestamp.ts'
import { kindOf, type Members, objectOf, oneOf } from '../members.ts'
import type { NewRecord, RecordOf } from '../record-of.ts'

/** The kind of the effect that runs a job: `job.sendInvoices`. */
export const jobKindStart = 'job.'
export const jobKindName = (name: string) => `${jobKindStart}${name}`

export const jobStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

/** How far a job is, for the caller who waits for it. */
export type JobProgress = {
  readonly done: number
  readonly total?: number
  /** One sentence. */
  readonly note?: string
}

/** The run of a job is given this. `I`: the values of its input. */
export type JobCode<I> = OutsideCode<CallerRecords> & {
  /** The values that it was added with, money in minor units. */
  readonly input: I
  /** The caller who added it. */
  readonly caller: KnownCaller
  /** The same at each try, so that a receiver knows a repeat. */
  readonly id: string
  /** This one included. */
  readonly tries: number
  /**
   * `step('charge', () => …)` does a part of the work once, and keeps its result for later tries,
   * also of another process. The name is unique in the run. The result is JSON.
   */
  readonly step: RunStep
  /** Tells how far it is. The server stores the latest within a second. Nothing waits for it. */
  readonly progress: (reached: JobProgress) => void
  /** Ends the job as failed, without another try. The caller who added it reads this sentence. */
  readonly refuse: (sentence: string) => never
}

export type AddOptions = {
  /** Not before this time, RFC 3339. */
  readonly at?: string | Date
  /** Those of the same job in one queue run one after another, in the order in which they came. */
  readonly queue?: string
  /**
   * Those of the same job with one key run one after another, and at most one of them waits.
   * `keep`: one that waits or runs stays, and this one is not added. `replace`: this one takes the
   * place of one that waits; one that runs goes on, and this one runs after it.
   */
  readonly dedupe?: { readonly key: string; readonly mode: 'keep' | 'replace' }
}

const dedupeMembers = { key: anyTextKind, mode: oneOf(['keep', 'replace']) } satisfies Members<
  NonNullable<AddOptions['dedupe']>
>
export const addOptionMembers = {
  at: kindOf('a time, RFC 3339 or a Date', (at) => timeOf(at) !== undefined),
  queue: anyTextKind,
  dedupe: objectOf(dedupeMembers, { needed: ['key', 'mode'] }),
} satisfies Members<AddOptions>

/** `at` in milliseconds; undefined for what is no time. */
export function timeOf(at: unknown): number | undefined {
  if (at instanceof Date) return Number.isNaN(at.getTime()) ? undefined : at.getTime()
  return typeof at === 'string' ? timestampMs(at) : undefined
}

export type AddedJob = {
  /** Its caller reads it at `GET /api/v1/_jobs/{id}`. */
  readonly id: string
  /** False where `dedupe` kept another one, which has this id. */
  readonly isNew: boolean
}

export type JobQueue<I extends Fields> = {
  /**
   * Adds the job. Inside a transaction it is there when that commits, and only then. Throws
   * `bad-request` for a value that its field does not take.
   */
  add(input: NewRecord<I>, options?: AddOptions): Promise<AddedJob>
  /**
   * Cancels those with this key (`dedupe`). One that runs is told by its `signal`. Returns how many
   * there were.
   */
  cancel(key: string): Promise<number>
}

/** A job as `defineJob` returns it. */
export type JobHandle<I extends Fields> = {
  readonly partName: string
  readonly job: { readonly input?: I; readonly output?: Fields }
}

/** `jobs(sendInvoice).add({ order: 12 })` */
export type Jobs = <I extends Fields>(job: JobHandle<I>) => JobQueue<I>

/** The result of a job with these fields. */
// biome-ignore lint/suspicious/noConfusingVoidType: work that returns nothing is void
export type JobResult<O extends Fields> = keyof O extends never ? void : RecordOf<O>
