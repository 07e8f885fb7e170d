/**
 * Counts the changes to each resource: anything cached for a resource stays valid while its number is the same. A reader of the change log.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Changes } from './changes.ts'

export type Generations = {
  /** A number that differs after any change to one of these resources. */
  of(resources: readonly Resource[]): number
}

export function makeGenerations(changes: Pick<Changes, 'follow'>): Generations {
  const counts = new Map<string, number>()
  let resets = 0
  changes.follow({
    apply(batch) {
      for (const { resource } of batch) counts.set(resource, (counts.get(resource) ?? 0) + 1)
    },
    reset() {
      resets += 1
    },
  })
  return {
    of(resources) {
      let sum = resets
      for (const { name } of resources) sum += counts.get(name) ?? 0
      return sum
    },
  }
}
