/**
 * Checkpoints the write-ahead log in a thread, so that requests do not wait for the disk. It begins
 * when 16 MB are not in the file. It copies and syncs while writes go on, and does the small rest
 * while the next group of writes waits. The log restarts only when the file has all of it, and no
 * connection reads it.
 */
import { openSync } from 'node:fs'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { pagesOfLog, type SqliteConnection } from '../connection.ts'
import { type LogState, writeStamp } from '../file/log-stamp.ts'
import type { ServedFile } from '../file/served-file.ts'
import type { CheckpointMode, CheckpointRound } from './checkpoint-thread.ts'
import type { FsyncMonitor, OpenDescriptor } from './fsync.ts'

/** The built package has `.js`. */
const threadFile = new URL(`./checkpoint-thread${extname(import.meta.filename)}`, import.meta.url)

/**
 * If the log fills up this soon after a checkpoint, it may become longer. An import or many creates
 * write the same pages in consecutive transactions; one checkpoint then copies them once.
 */
const soonMs = 2_000
export const pagesOfBusyLog = 4 * pagesOfLog
/** The rest that is copied while writes wait: some ten milliseconds. */
const pagesOfRest = pagesOfLog / 2
/** Every request reads for less time than this. */
const pauseMs = 10
/**
 * After this many rounds without progress, each after a pause, some connection reads an older state
 * for long.
 */
const idleRoundsMax = 25
/**
 * The pause before another attempt with a log that is still being read: to copy it, and to restart
 * it, for which writes wait.
 */
const heldMs = 250
const heldWritesMs = 1_000
/** An idle thread ends after this time. */
const restMs = 30_000

export type Checkpoints = {
  /** Call it before each transaction: whether `finish` should come first. */
  isDue(looked: LogState): boolean
  /**
   * Copies the rest of the log into the file and restarts the log, unless a connection reads it for
   * long. Never rejects.
   */
  finish(): Promise<void>
  close(): Promise<void>
}

/** A round that failed. */
const failed: CheckpointRound = { copied: 0, left: Number.POSITIVE_INFINITY, isHeld: true }

type CheckpointThread = {
  /** Undefined where it failed, or the thread has ended. */
  round(mode: CheckpointMode): Promise<CheckpointRound | undefined>
  end(): Promise<void>
}

function startThread(file: ServedFile, onEnd: (thread: CheckpointThread) => void): CheckpointThread {
  const worker = new Worker(threadFile, { workerData: file, execArgv: [] })
  worker.unref()
  worker.on('error', () => undefined) // waiting callers learn of it by the thread's end
  const ended = new Promise<undefined>((resolve) => worker.once('exit', () => resolve(undefined)))
  const thread: CheckpointThread = {
    round(mode) {
      worker.postMessage(mode)
      const answered = new Promise<CheckpointRound | undefined>((resolve) => worker.once('message', resolve))
      return Promise.race([answered, ended])
    },
    async end() {
      worker.postMessage(undefined)
      worker.ref()
      await ended
    },
  }
  void ended.then(() => onEnd(thread))
  return thread
}

/**
 * Syncs the file itself, which SQLite does only in a round that reaches the end of the log. Never
 * rejects. The descriptor stays open until the process ends: closing one would release all of the
 * process's locks on the file (POSIX, fcntl), SQLite's too.
 */
function makeFileSync(path: string, { sync }: FsyncMonitor): () => Promise<void> {
  let file: OpenDescriptor | undefined
  return async () => {
    try {
      file ??= { path, descriptor: openSync(path, 'r+') }
      await sync(file)
    } catch {
      // A failed sync is noted. Where the file could not be opened, the last round syncs it, and
      // takes longer.
    }
  }
}

type CheckpointsDeps = { readonly file: ServedFile; readonly writer: SqliteConnection; readonly fsync: FsyncMonitor }

export function makeCheckpoints({ file, writer: { database }, fsync }: CheckpointsDeps): Checkpoints {
  const syncFile = makeFileSync(file.path, fsync)
  const { hasFailed } = fsync
  database.exec('PRAGMA wal_autocheckpoint = 0')
  let thread: CheckpointThread | undefined
  let resting: NodeJS.Timeout | undefined
  let copiedMs = Number.NEGATIVE_INFINITY
  /** The length of the log when the thread began. */
  let begunAt = 0
  let copying: Promise<void> | undefined
  /** Whether all but a small rest is copied, and the log has not restarted. */
  let isCopied = false
  let notBeforeMs = 0
  let isClosed = false

  function end(): Promise<void> | undefined {
    clearTimeout(resting)
    const own = thread
    thread = undefined
    return own?.end()
  }
  async function round(mode: CheckpointMode): Promise<CheckpointRound> {
    clearTimeout(resting)
    thread ??= startThread(file, (own) => {
      if (thread === own) thread = undefined // another thread replaces it
    })
    const done = await thread.round(mode)
    resting = setTimeout(() => void end(), restMs).unref()
    return done ?? failed
  }
  /**
   * Copies until the rest is small, or a reader of an older state prevents progress. It counts
   * rounds and not time. A thread that is busy with writes learns late of each round's progress; if
   * it gave up meanwhile, the log would grow without limit. After a disk failure the log has to
   * stay: the file may lack parts of it.
   */
  async function copy(): Promise<void> {
    let copied = 0
    for (let idleRounds = 0; !isCopied && !isClosed && idleRounds < idleRoundsMax; ) {
      const done = await round('PASSIVE')
      if (done.copied > copied) {
        copied = done.copied
        idleRounds = 0
        await syncFile()
        if (hasFailed()) return
      } else {
        idleRounds += 1
        await sleep(pauseMs)
      }
      isCopied = (await round('NOOP')).left <= pagesOfRest
    }
    if (!isCopied) notBeforeMs = performance.now() + heldMs
  }

  return {
    isDue({ log, checkpointed }) {
      const nowMs = performance.now()
      const limit = nowMs - copiedMs < soonMs ? pagesOfBusyLog : pagesOfLog
      // writes outrun the copying, so writers have to wait
      if (copying) return log - begunAt > limit
      isCopied &&= checkpointed > 0
      if (nowMs < notBeforeMs || hasFailed()) return false
      if (isCopied) return checkpointed < log // by what was written meanwhile
      if (log - checkpointed <= limit) return false
      begunAt = log
      copying = copy().finally(() => {
        copying = undefined
        copiedMs = performance.now()
      })
      return false
    },
    async finish() {
      await copying
      if (hasFailed()) return
      writeStamp(database) // the stamp reveals a file that lacks a part of this log
      const { left, isHeld } = await round('RESTART')
      isCopied = isHeld && left <= pagesOfRest
      if (isHeld) notBeforeMs = performance.now() + heldWritesMs
    },
    async close() {
      isClosed = true
      await copying
      await end()
    },
  }
}
