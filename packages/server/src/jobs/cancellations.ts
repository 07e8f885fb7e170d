/** Tells the jobs that run in this process that they were cancelled, by whichever process. */
import type { Clock } from '../base/clock.ts'
import type { ReadStorage } from '../storage/storage.ts'
import { cancelledOf } from '../storage/stored-jobs.ts'

export type JobCancellations = {
  /** Until `end`, the signal is aborted when the job is cancelled. */
  watch(id: string): { readonly signal: AbortSignal; end(): void }
}

function cancelled(): Error {
  const error = new Error('The job was cancelled')
  error.name = 'AbortError'
  return error
}

export function followCancellations(
  { jobs, changes }: Pick<ReadStorage, 'jobs' | 'changes'>,
  clock: Clock,
): JobCancellations {
  const running = new Map<string, AbortController>()
  const tell = (id: string) => running.get(id)?.abort(cancelled())

  /** Where a change may have been missed. */
  async function look(id: string): Promise<void> {
    const found = await jobs.find(id, clock()).catch(() => 'unknown' as const)
    if (found === undefined || (found !== 'unknown' && found.state === 'cancelled')) tell(id)
  }

  changes.follow({
    apply(all) {
      if (running.size > 0) for (const change of all) for (const id of cancelledOf(change)) tell(id)
    },
    reset() {
      for (const id of running.keys()) void look(id)
    },
  })
  return {
    watch(id) {
      const controller = new AbortController()
      running.set(id, controller)
      return { signal: controller.signal, end: () => void running.delete(id) }
    },
  }
}
