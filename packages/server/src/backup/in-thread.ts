/** Runs a part of a backup in a worker thread. */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { StartError } from '../errors.ts'
import type { CapturedBackup } from '../storage/native-backup.ts'
import type { ThreadMessage } from './backup-thread.ts'
import type { CaptureJob, PackedBackup, PackJob } from './backup-work.ts'

/** The built package has `.js`. */
const threadFile = new URL(`./backup-thread${extname(import.meta.filename)}`, import.meta.url)

function run<T>(job: CaptureJob | PackJob, stop?: AbortSignal): Promise<T> {
  if (stop?.aborted) return Promise.reject(stop.reason)
  return new Promise((resolve, reject) => {
    const worker = new Worker(threadFile, { workerData: job })
    const end = () => void worker.terminate()
    stop?.addEventListener('abort', end, { once: true })
    let told: ThreadMessage | undefined
    worker.once('message', (message: ThreadMessage) => {
      told = message
    })
    worker.once('error', reject)
    worker.once('exit', () => {
      stop?.removeEventListener('abort', end)
      if (told && 'done' in told) resolve(told.done as T)
      else if (stop?.aborted) reject(stop.reason)
      else if (told?.failed.known) reject(new StartError(told.failed.message))
      else reject(new Error(told?.failed.message ?? 'the thread of the backup ended'))
    })
  })
}

export const captureInThread = (job: CaptureJob, stop?: AbortSignal) => run<CapturedBackup>(job, stop)
export const packInThread = (job: PackJob, stop?: AbortSignal) => run<PackedBackup>(job, stop)
