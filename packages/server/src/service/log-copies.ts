/** Has a thread copy the log of the database, where `WAL_COPY` says so. Of several processes one copies; the others stand by. */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { CopierOptions } from '../backup/log-copier.ts'
import type { Config } from '../config.ts'
import { ownVersion } from '../create/own-version.ts'
import type { Log } from '../http/log.ts'
import { backupLimits } from '../settings/backup-settings.ts'

/** The built package has `.js`. */
const threadFile = new URL(`../backup/log-thread${extname(import.meta.filename)}`, import.meta.url)

type Told = { readonly level: 'info' | 'warn'; readonly text: string }

export type LogCopies = {
  /** Call it when nobody writes any more: everything that was written is copied, if the place can be reached. */
  stop(): Promise<void>
}

/** Resolves when the log is followed, by this process or another, or cannot be for now. */
export async function startLogCopies(config: Config, log: Pick<Log, 'info' | 'warn'>): Promise<LogCopies> {
  const { database, backups, dataDir } = config
  if (!backups.walCopy) return { stop: async () => undefined }
  const { kind, setup } = database
  const workerData: CopierOptions = {
    kind: kind.name,
    setup,
    place: backups.walCopy,
    to: backups.to,
    dataDir,
    bindery: ownVersion(),
    keptMs: backups.walCopyKeptMs,
    baseEveryMs: backupLimits.baseEveryMs,
    idleShare: backupLimits.idleShare,
    waitingBytesMax: backupLimits.copiesWaitingBytesMax,
  }
  const worker = new Worker(threadFile, { workerData })
  const began = new Promise<void>((resolve) => {
    worker.on('message', (told: 'ready' | Told) => {
      if (told !== 'ready') log[told.level](told.text)
      if (told === 'ready' || told.level === 'warn') resolve()
    })
    worker.once('exit', () => resolve())
  })
  worker.on('error', (error: Error) => log.warn(`The log is not copied any more: ${error.message}`))
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  await began
  worker.unref()
  return {
    async stop() {
      worker.ref()
      worker.postMessage('stop')
      const timer = setTimeout(() => void worker.terminate(), backupLimits.copyStopMs)
      await ended
      clearTimeout(timer)
    },
  }
}
