/** Jobs on any executor: adding and cancelling in a transaction, running, reading, sweeping. */
import type { JobState } from '../../../resource/jobs/job-context.ts'
import type { DedupeKey, JobWriter, NewJob, StartedJob, StoredJob, StoredJobs } from '../../stored-jobs.ts'
import { cancellationOf } from '../../stored-jobs.ts'
import { type EffectLine, promote } from '../effect-rows.ts'
import { type EffectDialect, textsOf } from '../effect-statements.ts'
import type { Executor } from '../reader.ts'
import type { Statement } from '../statements.ts'
import { jobTextsOf, sweptMax } from './job-statements.ts'

const told = (sql: string, ...parameters: unknown[]): Statement => ({ sql, parameters })
const json = (value: unknown): string => JSON.stringify(value)

function cellsOf({ id, name, line, userId, tenant, queue, dedupe, input, addedMs }: NewJob): unknown[] {
  return [id, name, line, userId, tenant, queue, dedupe, input, addedMs]
}

/** Runs a statement that returns rows, and adds a row about them to the change log. */
type LogCancellation = (statement: Statement, about: ReturnType<typeof cancellationOf>) => Promise<void>

export function writingJobs(dialect: EffectDialect, executor: Executor, log: LogCancellation): JobWriter {
  const texts = jobTextsOf(dialect)
  return {
    async addJob(job) {
      await executor.run(told(texts.insert, ...cellsOf(job)))
    },
    async findJob(id, nowMs) {
      const [cells] = await executor.all(told(texts.find, nowMs, id))
      return cells && readJob([...cells])
    },
    async heldJobs({ name, tenant, dedupe }: DedupeKey, nowMs) {
      const rows = await executor.all(told(texts.held, nowMs, name, dedupe, tenant ?? ''))
      return (rows as [string, JobState][]).map(([id, state]) => ({ id, state }))
    },
    async jobsInTenant(tenant) {
      return (await executor.all(told(texts.inTenant, tenant))).map(([id]) => id as string)
    },
    async cancelJobs(ids, { nowMs, running }) {
      if (ids.length === 0) return 0
      const rows = await executor.all(told(texts.withdraw, json(ids), nowMs, running ? 1 : 0))
      if (rows.length === 0) return 0
      const ended = rows as unknown as EffectLine[]
      await promote(textsOf(dialect), executor, { ended, nowMs })
      const gone = rows.map((cells) => cells[4] as string)
      const kinds = [...new Set(ended.map(([, kind]) => kind))]
      await log(told(texts.cancel, json(gone), nowMs), cancellationOf(gone, kinds, nowMs))
      return rows.length
    },
  }
}

function readJob(cells: unknown[]): StoredJob {
  const [number, id, name, state, userId, tenant, queue, dedupe, input, progress, ...more] = cells
  const [result, refusal, error, tries, addedMs, dueMs, startedMs, endedMs, effect] = more
  const named = { number, id, name, state, userId, tenant, queue, dedupe, input, progress }
  return { ...named, result, refusal, error, tries, addedMs, dueMs, startedMs, endedMs, effect } as StoredJob
}

function readStarted([input, queue, dedupe]: readonly unknown[]): StartedJob {
  return { input, queue, dedupe } as StartedJob
}

type JobRowsDeps = {
  readonly dialect: EffectDialect
  readonly reads: Executor
  readonly transaction: <T>(work: (executor: Executor) => Promise<T>) => Promise<T>
}

export function makeStoredJobs({ dialect, reads, transaction }: JobRowsDeps): StoredJobs {
  const texts = jobTextsOf(dialect)
  const write = (sql: string, ...parameters: unknown[]) =>
    transaction(async (executor) => void (await executor.run(told(sql, ...parameters))))

  return {
    start: (id, tries, nowMs) =>
      transaction(async (executor) => {
        const [cells] = await executor.all(told(texts.start, id, tries, nowMs))
        return cells && readStarted(cells)
      }),
    advance: (id, progress) => write(texts.advance, id, progress),
    finish: ({ id, result, progress, nowMs }) => write(texts.finish, id, result, progress, nowMs),
    refuse: (id, sentence) => write(texts.refuse, id, sentence),
    async find(id, nowMs) {
      const cells = await reads.first(told(texts.find, nowMs, id))
      return cells && readJob([...cells])
    },
    async findAll(idStart, nowMs) {
      return (await reads.all(told(texts.findAll, nowMs, idStart, idStart.length))).map(readJob)
    },
    async list({ name = null, state = null, after = 0, limit, nowMs }) {
      return (await reads.all(told(texts.list, nowMs, after, name, state, limit))).map(readJob)
    },
    sweep: ({ endedSinceMs, endedMax, failedSinceMs }) =>
      transaction(async (executor) => {
        const gone = [
          await executor.run(told(texts.old, endedSinceMs)),
          await executor.run(told(texts.surplus, endedMax)),
          await executor.run(told(texts.oldFailed, failedSinceMs)),
          await executor.run(told(texts.removed, endedSinceMs)),
        ]
        return gone.some((count) => count >= sweptMax)
      }),
  }
}
