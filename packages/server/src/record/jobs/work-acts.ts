/** The acts of an operator on effects and jobs, whichever way they are asked for. */
import type { Clock } from '../../base/clock.ts'
import type { WorkEvent } from '../../resource/effects/work-event.ts'
import { type JobState, jobKindName } from '../../resource/jobs/job-context.ts'
import type { Principal } from '../../resource/principal.ts'
import type { Storage } from '../../storage/storage.ts'
import type { StoredJob } from '../../storage/stored-jobs.ts'
import { authorOf } from '../author.ts'
import type { RecordStore } from '../record-store.ts'

type EffectActDeps = {
  readonly storage: Pick<Storage, 'effects'>
  readonly clock: Clock
}

export type EffectAct = {
  /** For the audit. */
  readonly event: WorkEvent
  /** `numbers`: those of the effects. Returns how many there were. */
  act(deps: EffectActDeps, numbers: readonly number[]): Promise<number>
}

export const effectActs: Readonly<Record<'retry' | 'give-up', EffectAct>> = {
  retry: {
    event: 'effect-retried',
    act: ({ storage, clock }, numbers) => storage.effects.retry(numbers, clock()),
  },
  'give-up': {
    event: 'effect-given-up',
    act: ({ storage, clock }, numbers) => storage.effects.giveUp(numbers, 'Given up by an operator', clock()),
  },
}

type JobAct = Pick<EffectAct, 'event'> & {
  /** Those that it is about. */
  readonly states: readonly JobState[]
  /** Returns how many there were. */
  act(
    deps: EffectActDeps & { readonly records: RecordStore },
    jobs: readonly StoredJob[],
    by: Principal,
  ): Promise<number>
}

const effectsOf = (jobs: readonly StoredJob[]) => jobs.flatMap(({ effect }) => (effect === null ? [] : [effect]))
const onEffects = ({ event, act }: EffectAct): Omit<JobAct, 'states'> => ({
  event,
  act: (deps, jobs) => act(deps, effectsOf(jobs)),
})

export type JobActName = 'retry' | 'give-up' | 'cancel'
export const jobActs: Readonly<Record<JobActName, JobAct>> = {
  retry: { ...onEffects(effectActs.retry), states: ['failed', 'waiting'] },
  'give-up': { ...onEffects(effectActs['give-up']), states: ['waiting'] },
  cancel: {
    states: ['waiting', 'running'],
    event: 'effect-given-up',
    act: ({ records }, jobs, by) =>
      records.transaction(authorOf(by), (tx) => tx.cancelJobs({ ids: jobs.map(({ id }) => id) })),
  },
}

/** Finds an act by the word of a request. */
const among =
  <A>(acts: Readonly<Record<string, A>>) =>
  (name: string): A | undefined =>
    Object.hasOwn(acts, name) ? acts[name] : undefined

export const effectActOf = among<EffectAct>(effectActs)
export const jobActOf = among<JobAct>(jobActs)

/** The job for the audit: the kind and the id of its effect. */
export const workOf = ({ name, id }: StoredJob) => ({ kind: jobKindName(name), id })
