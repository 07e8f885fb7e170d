/** Removes jobs that have ended: by age and number, failed ones apart. */
import { setImmediate as breathe } from 'node:timers/promises'
import { limits } from '../limits.ts'
import type { Engine } from '../perform/engine.ts'
import { jobType } from '../resource/jobs/define-job.ts'

export async function sweepJobs(
  { catalog, storage, clock }: Pick<Engine, 'catalog' | 'storage' | 'clock'>,
  isStopped: () => boolean,
): Promise<void> {
  if (catalog.parts.of(jobType).length === 0) return
  const { endedKeptMs, endedMax, failedKeptMs } = limits.jobs
  const nowMs = clock()
  const kept = { endedSinceMs: nowMs - endedKeptMs, endedMax, failedSinceMs: nowMs - failedKeptMs }
  while (!isStopped() && (await storage.jobs.sweep(kept))) await breathe()
}
