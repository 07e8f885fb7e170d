/**
 * Parses the environment variables of what stays of past work: ended jobs, effects that were given
 * up, changes for their readers.
 */
import { type Environment, fail, parseSpan, type Variable } from '../base/environment.ts'
import { parseBytes } from '../base/print-bytes.ts'

/** How long work stays after its end. */
export type WorkSettings = {
  /** Jobs that are done or cancelled. */
  readonly jobsKeptMs: number
  readonly failedJobsKeptMs: number
  /** Effects that were given up. Undefined: until an operator decides. */
  readonly failedEffectsKeptMs: number | undefined
  /** The changes of resources with `changes`, for readers who come back. */
  readonly changesKept: { readonly ms: number; readonly bytesMax: number }
}

const jobsDefault = '7d'
const failedJobsDefault = '90d'
const changesDefault = '7d'
const changesBytesDefault = '1 GB'
const takes = 'duration in `h` or `d`'

export const workVariables: readonly Variable[] = [
  {
    name: 'JOBS_KEEP',
    takes,
    value: jobsDefault,
    about: 'how long a job that is done or cancelled stays with its result, as 12h or 7d',
    more: 'See [Run jobs outside of requests](../how-to/declare-jobs.md).',
  },
  {
    name: 'JOBS_FAILED_KEEP',
    takes,
    value: failedJobsDefault,
    about: 'how long a job that failed stays',
  },
  {
    name: 'EFFECTS_FAILED_KEEP',
    takes,
    value: '',
    about: 'how long other work stays that was given up, as 90d; until an operator decides when empty',
    more: 'See [Waiting work](../how-to/operate-waiting-work.md).',
  },
  {
    name: 'CHANGES_KEEP',
    takes,
    value: changesDefault,
    about: 'how long changes stay for their readers, as 12h or 7d, where a resource declares changes',
    more: 'See [The change log](../explanation/several-instances.md#the-change-log).',
  },
  {
    name: 'CHANGES_KEEP_BYTES',
    takes: 'size, such as `1 GB`',
    value: changesBytesDefault,
    about: 'how large these changes may be together; the oldest go first',
  },
]

/** `7d`, up to 9,999 days */
const span = /^([1-9]\d{0,3})([hd])$/

function parseKept(env: Environment, name: string, otherwise: string): number {
  const kept = env[name] || otherwise
  return parseSpan(kept, span) ?? fail(name, `must look like 12h or 7d, not ${kept}`)
}

export function parseWork(env: Environment): WorkSettings {
  const bytes = env.CHANGES_KEEP_BYTES || changesBytesDefault
  return {
    changesKept: {
      ms: parseKept(env, 'CHANGES_KEEP', changesDefault),
      bytesMax: parseBytes(bytes) ?? fail('CHANGES_KEEP_BYTES', `must look like 1 GB, not ${bytes}`),
    },
    jobsKeptMs: parseKept(env, 'JOBS_KEEP', jobsDefault),
    failedJobsKeptMs: parseKept(env, 'JOBS_FAILED_KEEP', failedJobsDefault),
    failedEffectsKeptMs: env.EFFECTS_FAILED_KEEP ? parseKept(env, 'EFFECTS_FAILED_KEEP', '') : undefined,
  }
}
