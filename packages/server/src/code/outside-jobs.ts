/** Jobs outside of a transaction: adding and cancelling has a transaction of its own. */
import type { Engine } from '../perform/engine.ts'
import { boundJobs } from '../record/jobs/add-job.ts'
import type { Fields } from '../resource/fields/field.ts'
import type { JobHandle, JobQueue, Jobs } from '../resource/jobs/job-context.ts'
import type { Author } from '../storage/changes.ts'

export function outsideJobs({ records }: Pick<Engine, 'records'>, author: Author): Jobs {
  return <I extends Fields>(job: JobHandle<I>): JobQueue<I> => ({
    add: (input, options) => records.transaction(author, (tx) => boundJobs(tx)(job).add(input, options)),
    cancel: (key) => records.transaction(author, (tx) => boundJobs(tx)(job).cancel(key)),
  })
}
