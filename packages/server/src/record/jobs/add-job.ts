/**
 * Adds and cancels jobs in a transaction, as the code of an application asks. The job and its
 * effect are there when the transaction commits.
 */
import { jsonText } from '../../base/json-text.ts'
import { ApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { defaultOf } from '../../operation/body.ts'
import { checkCallOptions, WrongCallError } from '../../resource/code/call-options.ts'
import type { Field, Fields } from '../../resource/fields/field.ts'
import type { DeclaredJob } from '../../resource/jobs/define-job.ts'
import {
  type AddedJob,
  type AddOptions,
  addOptionMembers,
  type JobQueue,
  type Jobs,
  jobKindName,
  timeOf,
} from '../../resource/jobs/job-context.ts'
import { jobText, tenantText } from '../../resource/jobs/job-values.ts'
import type { FindCodeTenants } from '../../resource/tenancy/code-tenants.ts'
import type { DedupeKey } from '../../storage/stored-jobs.ts'
import { leaveEffects } from '../leave-effects.ts'
import type { CancelledJobs, JobRequest, RecordTransaction, WriteContext } from '../write-context.ts'

const tenantOf = ({ author }: WriteContext): string | null => (author.tenant ? tenantText(author.tenant) : null)

/**
 * Both databases take the same keys. Throws `bad-request` for one that is too long, since it may
 * come from the caller, and `WrongCallError` for what is no text.
 */
function checkKey(what: string, key: unknown): void {
  if (typeof key !== 'string' || key.includes('\0') || !key.isWellFormed())
    throw new WrongCallError(`the ${what} of a job must be a text without NUL characters, and is ${typeof key}`)
  if (key.length > limits.jobs.keyLengthMax)
    throw new ApiError('bad-request', `The ${what} of a job has at most ${limits.jobs.keyLengthMax} characters`)
}

function checkOptions(job: string, options: AddOptions): void {
  checkCallOptions(`jobs(${job}).add(…)`, options, addOptionMembers)
  const { queue, dedupe } = options
  if (queue !== undefined) checkKey('queue', queue)
  if (dedupe !== undefined) checkKey('key', dedupe.key)
}

/** The key of its effect: jobs with the same one run in order, in the tenant. */
function lineOf({ queue, dedupe }: JobRequest, tenant: string | null, id: string): string {
  const of = tenant === null ? '' : `${tenant} `
  if (queue !== undefined) return `${of}queue ${queue}`
  return dedupe ? `${of}key ${dedupe.key}` : id
}

/** From here to the end of the transaction no other one adds or cancels jobs of the key. */
async function lockKey({ transaction }: WriteContext, key: DedupeKey): Promise<void> {
  await transaction.lockName(`bindery job ${jsonText([key.name, key.tenant, key.dedupe])}`)
}

export async function addJob(context: WriteContext, request: JobRequest): Promise<AddedJob> {
  const { transaction, author, makeId, now } = context
  const { name, input, queue = null, dedupe, at } = request
  const [nowMs, tenant] = [Date.parse(now), tenantOf(context)]
  const dueMs = timeOf(at) ?? nowMs
  if (dedupe) {
    const key = { name, tenant, dedupe: dedupe.key }
    await lockKey(context, key)
    const held = await transaction.heldJobs(key, nowMs)
    const [first] = held
    if (first && dedupe.mode === 'keep') return { id: first.id, isNew: false }
    await transaction.cancelJobs(
      held.map(({ id }) => id),
      { nowMs, running: false },
    )
  }
  const id = String(makeId())
  const line = lineOf(request, tenant, id)
  const { userId } = author
  await transaction.addJob({
    id,
    name,
    line,
    userId,
    tenant,
    queue,
    dedupe: dedupe?.key ?? null,
    input,
    addedMs: nowMs,
  })
  await leaveEffects(context, [
    { id, kind: jobKindName(name), key: line, inOrder: line !== id, dueMs, payload: { job: name } },
  ])
  return { id, isNew: true }
}

export async function cancelJobs(context: WriteContext, which: CancelledJobs): Promise<number> {
  const { transaction, now } = context
  const nowMs = Date.parse(now)
  if ('ids' in which) return transaction.cancelJobs(which.ids, { nowMs, running: true })
  if ('tenant' in which) {
    const ids = await transaction.jobsInTenant(tenantText(which.tenant))
    return transaction.cancelJobs(ids, { nowMs, running: true })
  }
  const key = { name: which.name, tenant: tenantOf(context), dedupe: which.key }
  await lockKey(context, key)
  const held = await transaction.heldJobs(key, nowMs)
  return transaction.cancelJobs(
    held.map(({ id }) => id),
    { nowMs, running: true },
  )
}

type JobTransaction = Pick<RecordTransaction, 'addJob' | 'cancelJobs' | 'catalog' | 'defaults' | 'author' | 'by'>

/** Jobs are of the tenant that the request names, and else of the one that their code is in. */
async function withinTenant(
  tx: JobTransaction,
  find: FindCodeTenants | undefined,
): Promise<Pick<JobTransaction, 'addJob' | 'cancelJobs'>> {
  const { author } = tx
  if (!find || author.tenant) return tx
  const [tenant] = [...(await find())].flatMap(([name, id]) => (id === null ? [] : [{ name, id }]))
  return tenant ? tx.by({ ...author, tenant }) : tx
}

/** `jobs(sendInvoice)`, as code inside a transaction is given it. */
export function boundJobs(tx: JobTransaction, tenants?: FindCodeTenants): Jobs {
  const check = { lengthMax: limits.jobs.inputLengthMax, defaultOf: (field: Field) => defaultOf(field, tx.defaults) }
  const of = (job: DeclaredJob): JobQueue<Fields> => {
    tx.catalog.parts.mustList(job)
    const { name, input: fields = {} } = job.job
    return {
      async add(given, options = {}) {
        checkOptions(name, options)
        const input = jobText(fields, given, check)
        return (await withinTenant(tx, tenants)).addJob({ ...options, name, input })
      },
      async cancel(key) {
        checkKey('key', key)
        return (await withinTenant(tx, tenants)).cancelJobs({ name, key })
      },
    }
  }
  return of as unknown as Jobs
}
