/** Waits for changes that are committed, and delivered a little later. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Change, Changes } from '../../src/storage/changes.ts'

const waitMsMax = 240_000
const limit = 10_000

/**
 * Reads until there are enough, or it has taken too long. PostgreSQL delivers a change when every
 * older transaction of the whole cluster has ended, such as a neighbour's or an autovacuum's.
 */
export async function readUntil(
  { read }: Pick<Changes, 'read'>,
  place: string | null,
  isEnough: (changes: readonly Change[]) => boolean,
): ReturnType<Changes['read']> {
  const deadlineMs = Date.now() + waitMsMax
  for (;;) {
    const settled = await read(place, limit)
    if (isEnough(settled.changes) || Date.now() > deadlineMs) return settled
    await sleep(10)
  }
}
