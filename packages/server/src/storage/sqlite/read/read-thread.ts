/**
 * A thread that runs costly reads, one after another, on its own connection with little memory. It
 * yields the processor to the main thread. Each job reads one snapshot, which begins after the
 * job's request.
 */

import { constants, setPriority } from 'node:os'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import { changesTable } from '../../changes.ts'
import type { Statement } from '../../sql/statements.ts'
import { openConnection } from '../connection.ts'
import type { ServedFile } from '../file/served-file.ts'
import { type BlockScan, makeBlockScan, type ScannedBlocks } from '../rank-index/block-scan.ts'
import { aliveFunction, watched } from '../watched.ts'

export type ThreadData = {
  readonly file: ServedFile
  /** The number of the job that is to stop. */
  readonly stop: Int32Array
  /** Whether the thread yields to all other work. */
  readonly yields: boolean
}

/**
 * `numbers`: the first column of the only statement, as numbers. `blocks`: the counts of the scan
 * by its two statements.
 */
export type ThreadJob = { readonly id: number; readonly statements: readonly Statement[] } & (
  | { readonly kind: 'rows' | 'numbers' }
  | { readonly kind: 'blocks'; readonly scan: Omit<BlockScan, 'walk' | 'last'> }
)
export type ThreadResult = {
  readonly id: number
  /** The rows of each statement. */
  readonly results: readonly unknown[][][]
  readonly numbers: Float64Array
  readonly scanned: ScannedBlocks
  /** The sequence of the last change that the read includes. */
  readonly position: number
}
/** Threads exchange errors as plain data: a cloned error would lose SQLite's codes. */
export type ThreadFailure = {
  readonly id: number
  readonly error: {
    readonly message: string
    readonly code?: string | undefined
    readonly errcode?: number | undefined
  }
}

const preparedMax = 100
/** Rows between two checks of the stop flag. */
const checkEvery = 1_024
const cacheKiB = 8_192
/** A yielding scan pauses for one time after each such time of work. */
const workMs = 0.5
const pauseMs = 0.05
const positionSql = `SELECT coalesce(max(sequence), 0) FROM ${changesTable}`

const nothing: ScannedBlocks = { blocks: [], isEnd: true }

/** Lowers the thread's priority below the main thread, on systems with thread priorities. */
function yieldProcessor(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
}

/**
 * Waits on a flag that is never set. On one processor a running thread keeps it for some
 * milliseconds, even at a low priority. A request that arrives meanwhile runs in this pause.
 */
function makePauses(): () => void {
  const never = new Int32Array(new SharedArrayBuffer(4))
  let sinceMs = performance.now()
  return () => {
    if (performance.now() - sinceMs < workMs) return
    Atomics.wait(never, 0, 0, pauseMs)
    sinceMs = performance.now()
  }
}

type JobRunner = { run(job: ThreadJob): ThreadResult; close(): void }

function makeRunner({ file, stop, yields }: ThreadData): JobRunner {
  const { database } = openConnection(file.path, { readOnly: true, joined: file.joined })
  database.exec(`PRAGMA cache_size = -${cacheKiB}; PRAGMA mmap_size = 0; PRAGMA temp_store = FILE`)
  const prepared = new LRUCache<string, StatementSync>({ max: preparedMax })
  let current = 0

  function checkStop(): number {
    if (Atomics.load(stop, 0) === current) throw new Error('stopped')
    return 1
  }
  function prepare(sql: string): StatementSync {
    let statement = prepared.get(sql)
    if (!statement) {
      statement = database.prepare(watched(sql))
      statement.setReturnArrays(true)
      prepared.set(sql, statement)
    }
    return statement
  }
  /**
   * Yields row by row: a result too large for this thread's heap ends the thread only between two
   * steps of JavaScript.
   */
  function* rowsOf({ sql, parameters }: Statement): Generator<unknown[]> {
    let count = 0
    for (const row of prepare(sql).iterate(...(parameters as SQLInputValue[]))) {
      if (count % checkEvery === 0) checkStop()
      count += 1
      yield row as unknown as unknown[]
    }
  }
  function numbersOf(statement: Statement): Float64Array {
    let numbers = new Float64Array(1_024)
    let length = 0
    for (const [number] of rowsOf(statement)) {
      if (length === numbers.length) {
        const longer = new Float64Array(length * 2)
        longer.set(numbers)
        numbers = longer
      }
      numbers[length] = number as number
      length += 1
    }
    return numbers.slice(0, length)
  }

  database.function(aliveFunction, { deterministic: false }, checkStop)
  const scanBlocks = makeBlockScan({ database, prepare, ...(yields && { rest: makePauses() }) })
  return {
    run(job) {
      const { id, kind, statements } = job
      current = id
      checkStop()
      if (database.isTransaction) database.exec('ROLLBACK') // a transaction that could not be ended
      database.exec('BEGIN')
      try {
        const [position] = prepare(positionSql).get() as unknown as [number]
        const results = kind === 'rows' ? statements.map((one) => [...rowsOf(one)]) : []
        const numbers = kind === 'numbers' ? numbersOf(statements[0] as Statement) : new Float64Array()
        const [walk, last] = statements as [Statement, Statement]
        const scanned = kind === 'blocks' ? scanBlocks({ ...job.scan, walk, last }) : nothing
        return { id, results, numbers, scanned, position }
      } catch (error) {
        prepared.clear() // a statement that failed would report its failure again
        throw error
      } finally {
        if (database.isTransaction) database.exec('ROLLBACK')
      }
    },
    close: () => database.close(),
  }
}

function plainError(error: unknown): ThreadFailure['error'] {
  const { message, code, errcode } = error as ThreadFailure['error']
  return { message, code, errcode }
}

/** Null ends the thread. */
function serve(port: MessagePort, data: ThreadData): void {
  if (data.yields) yieldProcessor()
  let runner: JobRunner | undefined
  port.on('message', (job: ThreadJob | null) => {
    if (job === null) {
      runner?.close()
      port.close()
      return
    }
    try {
      runner ??= makeRunner(data)
      const done = runner.run(job)
      port.postMessage(done satisfies ThreadResult, [done.numbers.buffer as ArrayBuffer])
    } catch (error) {
      port.postMessage({ id: job.id, error: plainError(error) } satisfies ThreadFailure)
    }
  })
}

if (parentPort) serve(parentPort, workerData as ThreadData)
