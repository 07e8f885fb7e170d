/**
 * The work of `bindery jobs`: lists the jobs of the application by their states, and retries, gives
 * up or cancels them.
 */
import { makeTable } from '../../command/table.ts'
import { StartError } from '../../errors.ts'
import type { Engine } from '../../perform/engine.ts'
import { jobLine, printJob } from '../../perform/jobs/print-job.ts'
import { type JobActName, jobActs, workOf } from '../../record/jobs/work-acts.ts'
import { jobType } from '../../resource/jobs/define-job.ts'
import { jobStates } from '../../resource/jobs/job-context.ts'
import { consolePrincipal } from '../../resource/principal.ts'
import type { StoredJob } from '../../storage/stored-jobs.ts'
import { type CommandContext, withEngine } from '../console.ts'
import {
  changeWork,
  noteWork,
  oneOfIds,
  pageSize,
  pagesOf,
  printOne,
  printPages,
  stateAmong,
  triedAgain,
  unknownName,
} from './queued-work.ts'

export type JobFilter = { readonly job?: string; readonly state?: string }
export type JobChoice = JobFilter & { readonly all?: boolean }

const noun = 'job'

const stateOf = (state: string | undefined) => stateAmong(jobStates, state)

const declaredOf = ({ catalog }: Engine) => catalog.parts.of(jobType).map(({ partName }) => partName)

/** Jobs of a name that a deploy has removed are still there. */
async function checkName(engine: Engine, { job }: JobFilter): Promise<void> {
  if (job === undefined || declaredOf(engine).includes(job)) return
  const { storage, clock } = engine
  if ((await storage.jobs.list({ name: job, limit: 1, nowMs: clock() })).length > 0) return
  throw unknownName(`job ${job}`, declaredOf(engine))
}

function jobsOf({ storage, clock }: Engine, { job, state }: JobFilter): AsyncGenerator<readonly StoredJob[]> {
  const query = { name: job, state: stateOf(state), limit: pageSize, nowMs: clock() }
  return pagesOf((after) => storage.jobs.list({ ...query, after }))
}

export async function listJobs(cli: CommandContext, which: JobFilter): Promise<void> {
  stateOf(which.state)
  await withEngine(cli, async (engine) => {
    await checkName(engine, which)
    const table = makeTable(['id', 'job', 'state', 'user', 'queue', 'key', 'tries', 'addedAt', 'dueAt', 'error'])
    const pages = jobsOf(engine, which)
    await printPages(cli, { noun, pages, table, lineOf: (job) => jobLine(engine.catalog, job) })
  })
}

async function getJob({ storage, clock }: Engine, id: string): Promise<StoredJob> {
  const found = await storage.jobs.findAll(id, clock())
  return oneOfIds(id, found, `There is no job ${id}: it has ended and is kept no more, or never was`)
}

export async function showJob(cli: CommandContext, id: string): Promise<void> {
  await withEngine(cli, async (engine) => {
    const found = await getJob(engine, id)
    const { result } = printJob(engine.catalog, found)
    await printOne(cli, { ...jobLine(engine.catalog, found), input: JSON.parse(found.input), result })
  })
}

/** Those with these ids, or all of a name, in the states that the command is about. */
async function chosenJobs(engine: Engine, ids: readonly string[], { job, all = false }: JobChoice) {
  if (ids.length > 0) return Promise.all(ids.map((id) => getJob(engine, id)))
  const found: StoredJob[] = []
  for await (const page of jobsOf(engine, { ...(!all && job !== undefined && { job }) })) found.push(...page)
  return found
}

/** Says what was done, after the number. */
const done = { retry: triedAgain, 'give-up': 'given up', cancel: 'cancelled' } satisfies Record<JobActName, string>

type JobCommand = { readonly name: JobActName; readonly ids: readonly string[]; readonly chosen: JobChoice }

export async function changeJobs(cli: CommandContext, { name, ids, chosen }: JobCommand): Promise<void> {
  const { job, all = false } = chosen
  const { states, event, act } = jobActs[name]
  async function change(engine: Engine): Promise<number> {
    await checkName(engine, chosen)
    const found = await chosenJobs(engine, ids, chosen)
    const meant = found.filter(({ state }) => states.includes(state))
    const [other] = ids.length > 0 ? found.filter((one) => !meant.includes(one)) : []
    if (other) throw new StartError(`The job ${other.id} is ${other.state}`)
    await noteWork(engine, meant.map(workOf), { event, act: name, areNamed: ids.length > 0 })
    return act(engine, meant, consolePrincipal(engine.catalog))
  }
  await changeWork(cli, { chosen: { ids, named: job, all }, option: '--job', noun, done: done[name], change })
}
