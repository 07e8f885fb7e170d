/** Adds the job of an action in the action's transaction, and answers with it. */
import { ApiError } from '../../errors.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { ActionContext } from '../../resource/action.ts'
import type { AnyActionJob } from '../../resource/jobs/action-job.ts'
import type { AddedJob } from '../../resource/jobs/job-context.ts'
import type { OutputResult } from '../result.ts'
import { printJob } from './print-job.ts'

export async function addJobOf({ add, input, options }: AnyActionJob, given: ActionContext): Promise<AddedJob> {
  return given.jobs(add).add((await input(given as never)) as never, options?.(given as never))
}

/**
 * The job as the answer to the caller. Throws `conflict` where `dedupe` kept one that another
 * caller has added: its progress and result are for that caller alone.
 */
export async function answerWithJob(tx: RecordTransaction, { id }: AddedJob): Promise<OutputResult> {
  const job = await tx.findJob(id, Date.parse(tx.defaults.now))
  if (!job) throw new Error(`the job ${id} is gone from the transaction that added it`)
  const { userId } = tx.author
  if (job.userId !== userId)
    throw new ApiError('conflict', `Another caller has added this work (${job.name}): wait until it has ended`)
  // Only a user can read it later.
  return { kind: 'output', values: printJob(tx.catalog, job), accepted: { id, isReadable: userId !== null } }
}
