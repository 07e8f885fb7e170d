/** A job as its caller reads it: JSON, with the values of its result as their fields show them. */
import { timestampOf } from '../../base/clock.ts'
import type { Catalog } from '../../resource/catalog.ts'
import type { Json } from '../../resource/fields/field.ts'
import { jobType } from '../../resource/jobs/define-job.ts'
import type { JobProgress, JobState } from '../../resource/jobs/job-context.ts'
import { jobValues } from '../../resource/jobs/job-values.ts'
import type { StoredJob } from '../../storage/stored-jobs.ts'
import { representValue } from '../../value/represent.ts'

export type PrintedJob = {
  readonly id: string
  readonly job: string
  readonly state: JobState
  readonly progress: Required<JobProgress> | null
  readonly result: Readonly<Record<string, Json>> | null
  readonly error: string | null
  readonly tries: number
  readonly addedAt: string
  readonly dueAt: string | null
  readonly startedAt: string | null
  readonly endedAt: string | null
}

const timeOf = (ms: number | null) => (ms === null ? null : timestampOf(ms))

/** Where the error is no sentence for callers. */
const failed = 'The job failed: the log of the server says why'

/** Null where this version does not know the job. */
function resultOf({ parts }: Pick<Catalog, 'parts'>, { name, result }: StoredJob): PrintedJob['result'] {
  const fields = parts.find(jobType, name)?.job.output
  if (result === null || !fields) return null
  const values = jobValues(fields, result)
  return Object.fromEntries(Object.entries(fields).map(([one, field]) => [one, representValue(field, values[one])]))
}

export function printJob(catalog: Pick<Catalog, 'parts'>, job: StoredJob): PrintedJob {
  const { id, name, state, progress, refusal, tries, addedMs, dueMs, startedMs, endedMs } = job
  return {
    id,
    job: name,
    state,
    progress: progress === null ? null : JSON.parse(progress),
    result: resultOf(catalog, job),
    error: state === 'failed' ? (refusal ?? failed) : null,
    tries,
    addedAt: timestampOf(addedMs),
    dueAt: state === 'waiting' ? timeOf(dueMs) : null,
    startedAt: timeOf(startedMs),
    endedAt: timeOf(endedMs),
  }
}

/** A job in the lists of operators. Input and result may contain personal data. */
export function jobLine(catalog: Pick<Catalog, 'parts'>, job: StoredJob) {
  const { result: _, error: __, progress, ...shown } = printJob(catalog, job)
  const { userId, queue, dedupe, error } = job
  const isKnown = catalog.parts.find(jobType, job.name) !== undefined
  return { ...shown, progress, user: userId, queue, key: dedupe, error, ...(!isKnown && { undeclared: true }) }
}
