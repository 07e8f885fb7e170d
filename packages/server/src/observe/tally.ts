/**
 * The numbers of several processes as those of one service, whatever becomes of the processes: what one has counted stays counted when it
 * ends, and one that is late counts as it was. So no sum goes back, which those who compute rates would take for a start anew.
 */
import { type Family, joinFamilies } from './family.ts'

export type Tally = {
  /** All that a process has counted so far, and holds. */
  told(process: number, families: readonly Family[]): void
  /** What it held is gone with it. */
  ended(process: number): void
  sum(): Family[]
}

export function makeTally(): Tally {
  const known = new Map<number, readonly Family[]>()
  let gone: readonly Family[] = []
  return {
    told: (process, families) => void known.set(process, families),
    ended(process) {
      const counted = (known.get(process) ?? []).filter(({ kind }) => kind !== 'gauge')
      known.delete(process)
      gone = joinFamilies([gone, counted])
    },
    sum: () => joinFamilies([...known.values(), gone]),
  }
}
