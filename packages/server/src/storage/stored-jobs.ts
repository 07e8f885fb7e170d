/**
 * Jobs as the database has them: what a caller asked for, how far it is, and its result. The work
 * itself waits as an effect with the same id. Whether a job waits, runs or has failed is a fact of
 * that effect alone, and is read from there.
 */
import type { JobState } from '../resource/jobs/job-context.ts'
import type { Change } from './changes.ts'

/** The name of jobs in the change log, as a resource without a declaration. */
export const jobsTable = 'bindery_jobs'

/**
 * A job as a transaction adds it. Its effect knows the rights of the author. `input`: JSON text.
 */
export type NewJob = {
  /** Its effect has the same. */
  readonly id: string
  /** The name of its declaration. */
  readonly name: string
  /** The key of its effect. */
  readonly line: string
  /** The user who added it. */
  readonly userId: string | null
  /** The tenant in which it was added. */
  readonly tenant: string | null
  readonly queue: string | null
  readonly dedupe: string | null
  readonly input: string
  readonly addedMs: number
}

export type StoredJob = Omit<NewJob, 'line'> & {
  /** Its position among all. */
  readonly number: number
  readonly state: JobState
  /** JSON text. */
  readonly progress: string | null
  readonly result: string | null
  /** The sentence of its refusal, which its caller may read. */
  readonly refusal: string | null
  /** The error of its last failed try, for operators. */
  readonly error: string | null
  readonly tries: number
  /** Of one that waits: the time of its next try. */
  readonly dueMs: number | null
  readonly startedMs: number | null
  readonly endedMs: number | null
  /** The number of its effect, while there is one. */
  readonly effect: number | null
}

/** The part of a job that its run needs. */
export type StartedJob = Pick<NewJob, 'input' | 'queue' | 'dedupe'>

/** `progress`: null leaves it as it is. */
export type DoneJob = {
  readonly id: string
  readonly result: string | null
  readonly progress: string | null
  readonly nowMs: number
}

/** Jobs of one dedupe key. */
export type DedupeKey = Pick<NewJob, 'name' | 'tenant'> & { readonly dedupe: string }

export type JobQuery = {
  readonly name?: string | undefined
  readonly state?: JobState | undefined
  /** The number of the last one of the page before. */
  readonly after?: number
  readonly limit: number
  readonly nowMs: number
}

export type JobRetention = {
  /** Jobs that are done or cancelled are kept since then, and so many of the newest. */
  readonly endedSinceMs: number
  readonly endedMax: number
  /** Failed ones are kept since then. */
  readonly failedSinceMs: number
}

export type StoredJobs = {
  /** Notes a try. Undefined where the job has ended, or is gone. */
  start(id: string, tries: number, nowMs: number): Promise<StartedJob | undefined>
  /** `progress`: JSON text. */
  advance(id: string, progress: string): Promise<void>
  /** A job that has ended, as by a cancellation, stays as it is. */
  finish(done: DoneJob): Promise<void>
  /** Notes why it refused itself, before its effect is given up. */
  refuse(id: string, sentence: string): Promise<void>
  find(id: string, nowMs: number): Promise<StoredJob | undefined>
  /** By the first characters of their ids: two at most. */
  findAll(idStart: string, nowMs: number): Promise<readonly StoredJob[]>
  /** In the order of their numbers. */
  list(query: JobQuery): Promise<readonly StoredJob[]>
  /** Removes some of the jobs that are not kept. Returns whether there may be more. */
  sweep(retention: JobRetention): Promise<boolean>
}

/** The part of a transaction that adds and cancels jobs. Their effects are left beside. */
export type JobWriter = {
  addJob(job: NewJob): Promise<void>
  /** With what this transaction has done to it. */
  findJob(id: string, nowMs: number): Promise<StoredJob | undefined>
  /** Those of the key that wait or run, the oldest first. */
  heldJobs(key: DedupeKey, nowMs: number): Promise<readonly Pick<StoredJob, 'id' | 'state'>[]>
  /** The ids of those in the tenant that wait or run. */
  jobsInTenant(tenant: string): Promise<readonly string[]>
  /**
   * Cancels those that wait, and with `running` those that run too: their processes are told.
   * Returns how many there were.
   */
  cancelJobs(ids: readonly string[], options: { readonly nowMs: number; readonly running: boolean }): Promise<number>
}

/**
 * The entry in the change log for cancelled jobs. `kinds`: those of their effects, of which the
 * next in a line is due now. `images` only marks this process's own.
 */
export function cancellationOf(ids: readonly string[], kinds: readonly string[], nowMs: number) {
  const after = Object.fromEntries(kinds.map((kind) => [kind, nowMs]))
  return { detail: { before: { ids }, after }, images: () => [] }
}

/** The ids of the jobs that a change cancelled; empty for other changes. */
export function cancelledOf({ resource, detail }: Pick<Change, 'resource' | 'detail'>): readonly string[] {
  return resource === jobsTable ? ((detail?.before?.ids ?? []) as readonly string[]) : []
}
