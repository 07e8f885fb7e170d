/**
 * `defineJob`: work of an application outside of requests. Code adds it with an input, mostly
 * inside a transaction. It runs after the commit, is retried, and tells its caller how far it is.
 */

import { type Retries, retriesKind, retriesMistake } from '../effects/retries.ts'
import type { Fields } from '../fields/field.ts'
import { fieldKind } from '../fields/field-kind.ts'
import { countKind, functionKind, type Members, mistakesIn, tableOf, textKind, timeoutKind } from '../members.ts'
import { type DeclaredPart, type PartCheck, type PartType, partOf } from '../parts/application-part.ts'
import { checkPlainFields } from '../parts/plain-fields.ts'
import type { RecordOf } from '../record-of.ts'
import { type JobCode, type JobResult, jobKindName } from './job-context.ts'

/** `I`: its input; `O`: its result. */
export type JobDeclaration<
  N extends string = string,
  I extends Fields = Fields,
  O extends Fields = Fields,
  V = never,
  R = unknown,
> = {
  /** Unique among jobs. The work of the job `sendInvoice` is the effect `job.sendInvoice`. */
  readonly name: N
  /** The fields of its input; none when absent. */
  readonly input?: I
  /** The fields of its result, which the caller who added it reads; none when absent. */
  readonly output?: O
  /**
   * The work, after the commit of what added it, at least once. One that throws is tried again.
   * Returns the values of `output`.
   */
  readonly run: (given: JobCode<V>) => Promise<R> | R
  /** How often it is tried, and when: 10 times over a day by default. */
  readonly retries?: Retries
  /** How long one try may take; 600 seconds by default. */
  readonly timeoutSeconds?: number
  /** How many run side by side in one process; 10 by default. */
  readonly atOnce?: number
}

/** A job as an application lists it. */
export type DeclaredJob<
  N extends string = string,
  I extends Fields = Fields,
  O extends Fields = Fields,
> = DeclaredPart<N> & { readonly job: JobDeclaration<N, I, O> }

const members = {
  name: textKind,
  input: tableOf(fieldKind),
  output: tableOf(fieldKind),
  run: functionKind,
  retries: retriesKind,
  timeoutSeconds: timeoutKind,
  atOnce: countKind,
} satisfies Members<JobDeclaration>

function checkJob({ job, partName }: DeclaredJob, context: PartCheck): void {
  const { report, byName } = context
  checkPlainFields(job.input ?? {}, context)
  checkPlainFields(job.output ?? {}, context)
  const waits = retriesMistake(job.retries)
  if (waits) report('retries', waits)
  const twin = byName.get('job') as { readonly effects?: object } | undefined
  if (Object.hasOwn(twin?.effects ?? {}, partName))
    report('name', `the resource "job" has an effect ${partName}, and their kinds have one name`)
}

export const jobType: PartType<DeclaredJob> = {
  kind: 'job',
  definedBy: 'defineJob',
  findFormMistakes: ({ job }) => mistakesIn(job, members, ['name', 'run']),
  workKind: jobKindName,
  check: checkJob,
}

/**
 * Declares a job: `defineJob({ name: 'sendInvoice', input: { order: integer({ required: true }) },
 * async run({ input, records, fetch, progress }) { … } })`. Code of the application adds it by
 * `jobs(sendInvoice).add({ order: 12 })`.
 */
export function defineJob<
  const N extends string,
  const I extends Fields = Record<never, never>,
  const O extends Fields = Record<never, never>,
>(job: JobDeclaration<N, I, O, RecordOf<NoInfer<I>>, JobResult<NoInfer<O>>>): DeclaredJob<N, I, O> {
  return { ...partOf(jobType, job?.name), job: job as never }
}
