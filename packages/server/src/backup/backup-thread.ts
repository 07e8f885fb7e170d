/** The worker thread of a part of a backup. It runs at low priority beside the server. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { StartError } from '../errors.ts'
import { type CaptureJob, captureNative, type PackJob, packBackup } from './backup-work.ts'

export type ThreadMessage =
  | { readonly done: unknown }
  | { readonly failed: { readonly message: string; readonly known: boolean } }

async function run(job: CaptureJob | PackJob): Promise<ThreadMessage> {
  try {
    return { done: job.part === 'capture' ? await captureNative(job) : await packBackup(job) }
  } catch (error) {
    return { failed: { message: (error as Error).message, known: error instanceof StartError } }
  }
}

try {
  // for this thread alone: on Linux each thread has its own priority
  if (process.platform === 'linux') setPriority(10)
} catch {
  // optional: some containers do not allow it
}
parentPort?.postMessage(await run(workerData as CaptureJob | PackJob))
