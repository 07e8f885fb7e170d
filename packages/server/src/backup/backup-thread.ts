/**
 * A thread that does one part of a backup while its process serves: it gives way to everything else
 * on the machine.
 */
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
  // of this thread alone: there, each thread has its own
  if (process.platform === 'linux') setPriority(10)
} catch {
  // a nicety that some containers do not allow
}
parentPort?.postMessage(await run(workerData as CaptureJob | PackJob))
