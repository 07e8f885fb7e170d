/** A wrapper around storage that leaves out a method of the interface does not compile. */
import type { ReadStorage } from '../../src/storage/storage.ts'
import { nonRecordMethods, recordReads, wrapStorage } from '../../src/storage/wrap-storage.ts'

export function complete(storage: ReadStorage): ReadStorage {
  const { find } = storage
  return wrapStorage(storage, { find }, { ...recordReads, ...nonRecordMethods })
}

export function lacksPlaces(storage: ReadStorage): ReadStorage {
  const { find } = storage
  // @ts-expect-error: nothing is said of `walk` and others
  return wrapStorage(storage, { find }, nonRecordMethods)
}

export function lacksOne(storage: ReadStorage): ReadStorage {
  const { walk: _, ...others } = recordReads
  const { find } = storage
  // @ts-expect-error: nothing is said of `walk`
  return wrapStorage(storage, { find }, { ...others, ...nonRecordMethods })
}
