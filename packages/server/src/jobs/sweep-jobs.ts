/** Removes jobs that have ended: by age and number, failed ones apart. */
import { setImmediate as breathe } from 'node:timers/promises'
import { limits } from '../limits.ts'
import type { Engine } from '../perform/engine.ts'
import { jobType } from '../resource/jobs/define-job.ts'
import type { WorkSettings } from '../settings/work-settings.ts'

export async function sweepJobs(
  { catalog, storage, clock }: Pick<Engine, 'catalog' | 'storage' | 'clock'>,
  { jobsKeptMs, failedJobsKeptMs }: WorkSettings,
  isStopped: () => boolean,
): Promise<void> {
  if (catalog.parts.of(jobType).length === 0) return
  const nowMs = clock()
  const kept = {
    endedSinceMs: nowMs - jobsKeptMs,
    endedMax: limits.jobs.endedMax,
    failedSinceMs: nowMs - failedJobsKeptMs,
  }
  while (!isStopped() && (await storage.jobs.sweep(kept))) await breathe()
}
