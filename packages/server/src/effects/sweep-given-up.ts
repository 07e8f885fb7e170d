/** Removes effects that were given up a time ago, where the operator keeps them for a time only. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import type { Storage } from '../storage/storage.ts'

type GivenUpDeps = { readonly storage: Pick<Storage, 'effects'>; readonly clock: Clock }

/** `keptMs`: undefined for all time. */
export async function sweepGivenUp(
  { storage, clock }: GivenUpDeps,
  keptMs: number | undefined,
  isStopped: () => boolean,
): Promise<void> {
  if (keptMs === undefined) return
  const sinceMs = clock() - keptMs
  while (!isStopped() && (await storage.effects.sweep(sinceMs))) await breathe()
}
