/** A wrapper around storage that leaves out a method of the interface does not compile. */
import type { StoredReads } from '../../src/storage/storage.ts'
import { ownMatters, recordReads, wrapped } from '../../src/storage/wrapped.ts'

export function complete(storage: StoredReads): StoredReads {
  const { find } = storage
  return wrapped(storage, { find }, { ...recordReads, ...ownMatters })
}

export function lacksPlaces(storage: StoredReads): StoredReads {
  const { find } = storage
  // @ts-expect-error: nothing is said of `walk` and others
  return wrapped(storage, { find }, ownMatters)
}

export function lacksOne(storage: StoredReads): StoredReads {
  const { walk: _, ...others } = recordReads
  const { find } = storage
  // @ts-expect-error: nothing is said of `walk`
  return wrapped(storage, { find }, { ...others, ...ownMatters })
}
