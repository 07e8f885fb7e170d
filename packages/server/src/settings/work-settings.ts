/** Parses the environment variables of ended jobs and of effects that were given up. */
import { type Environment, fail, parseSpan, type Variable } from '../base/environment.ts'

/** How long work stays after its end. */
export type WorkSettings = {
  /** Jobs that are done or cancelled. */
  readonly jobsKeptMs: number
  readonly failedJobsKeptMs: number
  /** Effects that were given up. Undefined: until an operator decides. */
  readonly failedEffectsKeptMs: number | undefined
}

const jobsDefault = '7d'
const failedJobsDefault = '90d'
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
]

/** `7d`, up to 9,999 days */
const span = /^([1-9]\d{0,3})([hd])$/

function parseKept(env: Environment, name: string, otherwise: string): number {
  const kept = env[name] || otherwise
  return parseSpan(kept, span) ?? fail(name, `must look like 12h or 7d, not ${kept}`)
}

export function parseWork(env: Environment): WorkSettings {
  return {
    jobsKeptMs: parseKept(env, 'JOBS_KEEP', jobsDefault),
    failedJobsKeptMs: parseKept(env, 'JOBS_FAILED_KEEP', failedJobsDefault),
    failedEffectsKeptMs: env.EFFECTS_FAILED_KEEP ? parseKept(env, 'EFFECTS_FAILED_KEEP', '') : undefined,
  }
}
