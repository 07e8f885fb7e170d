/**
 * Who brings the write-ahead log into the file. As a rule the commit that makes it 16 MB long, which takes some milliseconds. While somebody
 * reads one state of the file for long, as a backup does, the log goes on growing, and the first commit after that would copy all of it while
 * nobody is answered; so a log that has grown far beyond is brought into the file by a thread, and commits leave it alone until it is short.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Round } from './checkpoint-thread.ts'
import { type Connection, pagesOfLog } from './connection.ts'

/** The built package has `.js`. */
const threadFile = new URL(`./checkpoint-thread${extname(import.meta.filename)}`, import.meta.url)

/** With so many pages that are not in the file the thread begins. */
const longPages = 2 * pagesOfLog
/**
 * A commit of so many records may leave a log of this length: an import writes the same pages in several transactions, and they are copied once.
 */
const manyRecords = 250
const pagesOfManyLog = 4 * pagesOfLog
/** Between two looks at a log that somebody still reads. */
const waitMs = 250

export type Checkpoints = {
  /** Call it before each transaction: a look at the log takes a microsecond. */
  look(): void
  /** Call it before each commit, with the number of records that it writes. */
  ending(records: number): void
  close(): Promise<void>
}

const waitingPages = ({ pages, done }: Round) => pages - done

export function makeCheckpoints(path: string, { database }: Connection): Checkpoints {
  const lookAtLog = database.prepare('PRAGMA wal_checkpoint(NOOP)')
  let worker: Worker | undefined
  let ended: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  /** What the last look saw. */
  let waiting = 0
  let hadMany = false
  let limit = pagesOfLog
  function checkpointAt(pages: number): void {
    if (pages !== limit) database.exec(`PRAGMA wal_autocheckpoint = ${pages}`)
    limit = pages
  }

  function leave(): void {
    clearTimeout(timer)
    worker?.postMessage(false)
    worker = undefined
    checkpointAt(pagesOfLog)
  }

  /** `before`: what the round before has left. */
  function begin(before: Round): void {
    checkpointAt(0)
    const own = new Worker(threadFile, { workerData: path, execArgv: [] })
    worker = own
    ended = new Promise((resolve) => own.once('exit', () => resolve()))
    own.unref()
    own.on('error', () => worker === own && leave())
    let last = before
    own.on('message', (now: Round | undefined) => {
      if (worker !== own) return
      const isShort = now !== undefined && waitingPages(now) <= pagesOfLog
      // Nobody reads what was there, and yet it becomes no less: more is written than one thread copies, so whoever writes has to wait.
      const isLate = now !== undefined && now.done >= last.pages && waitingPages(now) >= waitingPages(last)
      if (isShort || isLate) return leave()
      timer = setTimeout(() => own.postMessage(true), now && now.done > last.done ? 0 : waitMs)
      timer.unref()
      last = now ?? last
    })
    own.postMessage(true)
  }

  return {
    look() {
      if (worker) return
      const { log, checkpointed } = lookAtLog.get() as { log: number; checkpointed: number }
      const now = { pages: log, done: checkpointed }
      waiting = waitingPages(now)
      if (waiting > (hadMany ? 2 * pagesOfManyLog : longPages)) begin(now)
    },
    ending(records) {
      if (worker) return
      hadMany = records >= manyRecords
      // What an import has left is too much for the small commit that comes next, so the thread takes it.
      const own = waiting > longPages ? 0 : pagesOfLog
      checkpointAt(hadMany ? pagesOfManyLog : own)
    },
    async close() {
      if (worker) leave()
      await ended
    },
  }
}
