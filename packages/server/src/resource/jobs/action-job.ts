/** The job that an action adds in place of code of its own. The answer is that job. */
import type { Fields } from '../fields/field.ts'
import { functionKind, kindOf, type Members, objectOf } from '../members.ts'
import { isPart } from '../parts/application-part.ts'
import type { NewRecord } from '../record-of.ts'
import type { AddOptions, JobHandle } from './job-context.ts'

/** `A`: what the code of the action is given; `I`: the input of the job. */
export type ActionJob<A, I extends Fields> = {
  /** The job, as `defineJob` returns it. */
  readonly add: JobHandle<I>
  /** The input of the job, from the record and the input of the action. */
  readonly input: (given: A) => NewRecord<I> | Promise<NewRecord<I>>
  /** When it runs, behind which others, and which one it replaces or stays away for. */
  readonly options?: (given: A) => AddOptions
}

/** The same for the engine, which knows no types of an application. */
export type AnyActionJob = {
  readonly add: JobHandle<Fields>
  readonly input: (given: never) => object
  readonly options?: (given: never) => AddOptions
}

export const actionJobKind = objectOf(
  {
    add: kindOf('a job that defineJob has made', (value) => isPart(value) && value.partType.kind === 'job'),
    input: functionKind,
    options: functionKind,
  } satisfies Members<AnyActionJob>,
  { needed: ['add', 'input'] },
)
