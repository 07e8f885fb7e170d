/**
 * Starts a thread that copies the database's log, where `WAL_COPY` is set. One process copies; the
 * others stand by.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { CopierOptions, CopyState } from '../backup/log/log-copier.ts'
import type { Config } from '../config.ts'
import { ownVersion } from '../create/own-version.ts'
import type { Log } from '../http/logs/log.ts'
import { backupLimits } from '../settings/backup-settings.ts'

/** The built package has `.js`. */
const threadFile = new URL(`../backup/log/log-thread${extname(import.meta.filename)}`, import.meta.url)

type LogCopyMessage = { readonly level: 'info' | 'warn'; readonly text: string }

/** The age of the copies that this process makes. */
export type LogCopyAge = {
  /**
   * All writes acknowledged before this time could be restored (RFC 3339); null before there is a
   * full copy.
   */
  readonly at: string | null
  /** Seconds since then, or since the start where nothing could be restored. */
  readonly ageSeconds: number
}

export type LogCopies = {
  /** Undefined where the log is not copied, or another process copies it. */
  age(): LogCopyAge | undefined
  /**
   * Call it after the last write: the thread copies the rest of the log, if the place can be
   * reached.
   */
  stop(): Promise<void>
}

/** Resolves when this process or another follows the log, or when that is not possible for now. */
export async function startLogCopies(config: Config, log: Pick<Log, 'info' | 'warn'>): Promise<LogCopies> {
  const { database, backups, dataDir, outgoing } = config
  if (!backups.walCopy) return { age: () => undefined, stop: async () => undefined }
  const { kind, setup } = database
  const workerData: CopierOptions = {
    kind: kind.name,
    setup,
    store: backups.walCopy,
    outgoing,
    to: backups.to,
    dataDir,
    bindery: ownVersion(),
    keptMs: backups.walCopyKeptMs,
    baseEveryMs: backupLimits.baseEveryMs,
    idleShare: backupLimits.idleShare,
    waitingBytesMax: backupLimits.copiesWaitingBytesMax,
  }
  const worker = new Worker(threadFile, { workerData })
  const startedMs = Date.now()
  let copied: CopyState = { untilMs: undefined }
  const began = new Promise<void>((resolve) => {
    worker.on('message', (told: { readonly copied: CopyState } | LogCopyMessage) => {
      if ('copied' in told) copied = told.copied
      else log[told.level](told.text)
      if ('copied' in told || told.level === 'warn') resolve()
    })
    worker.once('exit', () => resolve())
  })
  worker.on('error', (error: Error) => log.warn(`The log is not copied any more: ${error.message}`))
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  await began
  worker.unref()
  return {
    age() {
      if (copied === 'standby') return undefined
      const { untilMs } = copied
      const ageSeconds = Math.max(0, Math.round((Date.now() - (untilMs ?? startedMs)) / 1000))
      return { at: untilMs === undefined ? null : new Date(untilMs).toISOString(), ageSeconds }
    },
    async stop() {
      worker.ref()
      worker.postMessage('stop')
      const timer = setTimeout(() => void worker.terminate(), backupLimits.copyStopMs)
      await ended
      clearTimeout(timer)
    },
  }
}
