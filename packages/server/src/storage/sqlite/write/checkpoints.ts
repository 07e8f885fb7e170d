/**
 * Who brings the write-ahead log into the file: a thread, so that nobody who is served waits for
 * the disk. It begins when 16 MB are not in the file, and copies while others write; what it has
 * copied is synced before it goes on. What is little at last it copies and syncs while the next
 * group of writes waits, because only a log of which everything is in the file, and that nobody
 * reads, begins anew.
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
 * Where the log fills up so soon after it was copied, it may become longer: an import or many
 * creates write the same pages in several transactions, and they are copied once.
 */
const soonMs = 2_000
export const pagesOfBusyLog = 4 * pagesOfLog
/** So little is copied while writes wait: some ten milliseconds. */
const pagesOfRest = pagesOfLog / 2
/** Everybody who is served reads for less than this. */
const pauseMs = 10
/**
 * After so many rounds without a page more, each a pause after the one before, somebody reads an
 * older state for long.
 */
const idleRoundsMax = 25
/**
 * Before another attempt with a log that somebody still reads: to copy it, and to have it begin
 * anew, for which writes wait.
 */
const heldMs = 250
const heldWritesMs = 1_000
/** A thread that has nothing to do ends after this time. */
const restMs = 30_000

export type Checkpoints = {
  /** Call it before each transaction: whether `finish` should come first. */
  isDue(looked: LogState): boolean
  /**
   * Brings the rest of the log into the file and has it begin anew, unless somebody reads it for
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
  worker.on('error', () => undefined) // whoever waits is told by its end
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
 * Syncs the file itself, which SQLite does only in a round that comes to the end of the log. Never
 * rejects. The descriptor stays open until the process ends, because with any that is closed a
 * process gives up all of its locks on the file (POSIX, fcntl), those of SQLite too.
 */
function makeFileSync(path: string, { sync }: FsyncMonitor): () => Promise<void> {
  let file: OpenDescriptor | undefined
  return async () => {
    try {
      file ??= { path, descriptor: openSync(path, 'r+') }
      await sync(file)
    } catch {
      // A sync that failed is noted. Where the file could not be opened, the last round syncs it,
      // and takes longer for it.
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
  /** How long the log was when the thread began. */
  let begunAt = 0
  let copying: Promise<void> | undefined
  /** Whether all but a little of it was copied, and it has not begun anew. */
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
      if (thread === own) thread = undefined // another takes its place
    })
    const done = await thread.round(mode)
    resting = setTimeout(() => void end(), restMs).unref()
    return done ?? failed
  }
  /**
   * Copies until the rest is little, or nothing more can be copied: then somebody reads an older
   * state. It counts rounds, and no time: a thread that is busy with writes learns late how far a
   * round came, and giving up meanwhile would let the log grow without end. Where the disk has
   * failed, the log has to stay: it has what the file may lack.
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
      // more is written than is copied, so whoever writes has to wait
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
      writeStamp(database) // so that a file which lacks some of this log is known
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
