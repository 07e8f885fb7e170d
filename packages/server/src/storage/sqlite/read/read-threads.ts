/**
 * Runs costly reads outside the main thread. A few run at once, and clients take turns. A read ends
 * at its deadline, or when its client disconnects. Callers decide which reads are costly.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { StatementListener } from '../../../observe/storage-metrics.ts'
import {
  type CostlyLimits,
  type CostlyRequest,
  clientHasLeft,
  tookTooLong,
  tooManyReads,
  wasInterrupted,
} from '../../costly-reads.ts'
import { makeFairQueue } from '../../fair-queue.ts'
import type { Statement } from '../../sql/statements.ts'
import type { ServedFile } from '../file/served-file.ts'
import type { BlockScan, ScannedBlocks } from '../rank-index/block-scan.ts'
import type { ThreadData, ThreadFailure, ThreadJob, ThreadResult } from './read-thread.ts'

/** `position`: the sequence of the last change that the read includes. */
type ThreadRead<T> = Promise<T & { readonly position: number }>

export type ReadThreads = {
  all(statement: Statement, asking: CostlyRequest): ThreadRead<{ readonly rows: unknown[][] }>
  /** Runs these statements in one snapshot; returns the rows of each. */
  together(
    statements: readonly Statement[],
    asking: CostlyRequest,
  ): ThreadRead<{ readonly results: readonly unknown[][][] }>
  /** The first column of the rows, a numeric one. */
  numbers(statement: Statement, asking: CostlyRequest): ThreadRead<{ readonly numbers: Float64Array }>
  /** One pass over an index. */
  blocks(scan: BlockScan, asking: CostlyRequest): ThreadRead<ScannedBlocks>
  /** Refuses running and waiting reads. */
  close(): Promise<void>
}

type ReadThreadsDeps = {
  readonly file: ServedFile
  readonly limits: CostlyLimits
  /** Resolves when all commits that a thread may have read are on the disk. */
  readonly settled?: () => Promise<unknown>
  /** Throws the callers' error for an error of SQLite. */
  fail(error: Error, statement: Statement): never
  /** The heap limit of a thread. A thread that exceeds it ends, and another replaces it. */
  readonly heapMbMax?: number
  /** Whether the threads yield to all other work; true by default. */
  readonly yields?: boolean
  readonly watch?: StatementListener | undefined
}

const closeMsMax = 2_000
/** A thread takes some 15 MB. */
const restMsMax = 30_000
/** The built package has `.js`. */
const threadFile = `./read-thread${extname(import.meta.filename)}`

/** `ThreadJob` without its number, each of its kinds. */
type JobWithoutId = ThreadJob extends infer One ? (One extends ThreadJob ? Omit<One, 'id'> : never) : never

type WorkerThread = {
  isAlive(): boolean
  /**
   * Rejects at once with the error of `stop`. It calls `idle` when the thread can take another
   * read.
   */
  run(job: JobWithoutId, asking: CostlyRequest, idle: () => void): Promise<ThreadResult>
  close(): Promise<void>
}

type RunningJob = {
  /** Rejects, and makes the statement end soon. */
  stop(error: unknown): void
  done(done: ThreadResult): void
  failed(error: ThreadFailure['error']): void
  died(): void
}

function startThread({ file, limits, fail, heapMbMax = 192, yields = true }: ReadThreadsDeps): WorkerThread {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL(threadFile, import.meta.url), {
    workerData: { file, stop, yields } satisfies ThreadData,
    resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
    execArgv: [],
  })
  worker.unref()
  let given = 0
  let running: RunningJob | undefined
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  let isAlive = true
  let lastError: unknown = new Error('a reading thread ended')
  worker.on('error', (error) => {
    lastError = error
  })
  worker.on('exit', () => {
    isAlive = false
    running?.died()
  })
  worker.on('message', (message: ThreadResult | ThreadFailure) => {
    if ('error' in message) running?.failed(message.error)
    else running?.done(message)
  })

  return {
    isAlive: () => isAlive,
    run(job, { readClient, advice }, idle) {
      given = (given % 0x7fff_ffff) + 1
      const id = given
      return new Promise((resolve, reject) => {
        const halt = (error: unknown) => {
          Atomics.store(stop, 0, id)
          reject(error)
        }
        const timer = setTimeout(() => halt(tookTooLong(advice)), limits.readMsMax)
        let forget = () => {}
        const settle = () => {
          clearTimeout(timer)
          forget()
          running = undefined
          worker.unref()
          idle()
        }
        running = {
          stop: halt,
          done(done) {
            settle()
            resolve(done)
          },
          failed(error) {
            settle()
            try {
              fail(Object.assign(new Error(error.message), error), job.statements[0] as Statement)
            } catch (told) {
              reject(told) // does nothing where the read was stopped
            }
          },
          died() {
            settle()
            reject(wasInterrupted(lastError))
          },
        }
        worker.ref()
        // Only plain data can go to a thread: a statement may carry more.
        const statements = job.statements.map(({ sql, parameters }) => ({ sql, parameters }))
        worker.postMessage({ ...job, id, statements } satisfies ThreadJob)
        forget = readClient.onLeft(() => halt(clientHasLeft))
      })
    },
    async close() {
      running?.stop(tooManyReads())
      if (!isAlive) return
      worker.postMessage(null)
      const timer = setTimeout(() => void worker.terminate(), closeMsMax)
      worker.ref()
      await exited
      clearTimeout(timer)
    },
  }
}

/** Starts threads on demand, and ends them after some idle time. */
export function makeReadThreads(deps: ReadThreadsDeps): ReadThreads {
  const queue = makeFairQueue(deps.limits)
  const threads = new Set<WorkerThread>()
  /** Idle threads, and the timer that ends each. */
  const resting = new Map<WorkerThread, NodeJS.Timeout>()
  let closed = false

  function end(thread: WorkerThread): Promise<void> {
    clearTimeout(resting.get(thread))
    resting.delete(thread)
    threads.delete(thread)
    return thread.close()
  }
  function take(): WorkerThread {
    for (const [thread, timer] of resting) {
      clearTimeout(timer)
      resting.delete(thread)
      if (thread.isAlive()) return thread
      threads.delete(thread)
    }
    const thread = startThread(deps)
    threads.add(thread)
    return thread
  }

  async function run(job: JobWithoutId, asking: CostlyRequest): Promise<ThreadResult> {
    const endTurn = await queue.turn(asking.readClient)
    if (closed) {
      endTurn()
      throw tooManyReads()
    }
    const thread = take()
    const beganMs = performance.now()
    try {
      const done = await thread.run(job, asking, () => {
        resting.set(thread, setTimeout(() => void end(thread), restMsMax).unref())
        endTurn()
      })
      await deps.settled?.()
      return done
    } finally {
      deps.watch?.ended((job.statements[0] as Statement).sql, beganMs, performance.now())
    }
  }

  return {
    async all(statement, asking) {
      const { results, position } = await run({ kind: 'rows', statements: [statement] }, asking)
      return { rows: results[0] ?? [], position }
    },
    together: (statements, asking) => run({ kind: 'rows', statements }, asking),
    numbers: (statement, asking) => run({ kind: 'numbers', statements: [statement] }, asking),
    async blocks({ walk, last, ...scan }, asking) {
      const { scanned, position } = await run({ kind: 'blocks', statements: [walk, last], scan }, asking)
      return { ...scanned, position }
    },
    async close() {
      closed = true
      queue.close()
      await Promise.all([...threads].map(end))
    },
  }
}
