/** The acts of an operator on jobs, whichever way they are asked for. */
import type { Clock } from '../../base/clock.ts'
import type { WorkEvent } from '../../resource/effects/work-event.ts'
import { type JobState, jobKindName } from '../../resource/jobs/job-context.ts'
import type { Principal } from '../../resource/principal.ts'
import type { Storage } from '../../storage/storage.ts'
import { givenUpByOperator } from '../../storage/stored-effects.ts'
import type { StoredJob } from '../../storage/stored-jobs.ts'
import { authorOf } from '../author.ts'
import type { RecordStore } from '../record-store.ts'

type JobActDeps = {
  readonly records: RecordStore
  readonly storage: Pick<Storage, 'effects'>
  readonly clock: Clock
}

type JobAct = {
  /** Those that it is about. */
  readonly states: readonly JobState[]
  /** For the audit. */
  readonly event: WorkEvent
  /** Returns how many there were. */
  act(deps: JobActDeps, jobs: readonly StoredJob[], by: Principal): Promise<number>
}

const effectsOf = (jobs: readonly StoredJob[]) => jobs.flatMap(({ effect }) => (effect === null ? [] : [effect]))

export const jobActs = {
  retry: {
    states: ['failed', 'waiting'],
    event: 'effect-retried',
    act: ({ storage, clock }, jobs) => storage.effects.retry(effectsOf(jobs), clock()),
  },
  'give-up': {
    states: ['waiting'],
    event: 'effect-given-up',
    act: ({ storage, clock }, jobs) => storage.effects.giveUp(effectsOf(jobs), givenUpByOperator, clock()),
  },
  cancel: {
    states: ['waiting', 'running'],
    event: 'effect-given-up',
    act: ({ records }, jobs, by) =>
      records.transaction(authorOf(by), (tx) => tx.cancelJobs({ ids: jobs.map(({ id }) => id) })),
  },
} satisfies Record<string, JobAct>
export type JobActName = keyof typeof jobActs

export function jobActOf(name: string): JobAct | undefined {
  return Object.hasOwn(jobActs, name) ? jobActs[name as JobActName] : undefined
}

/** The job for the audit: the kind and the id of its effect. */
export const workOf = ({ name, id }: StoredJob) => ({ kind: jobKindName(name), id })
