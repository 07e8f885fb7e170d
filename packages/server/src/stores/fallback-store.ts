/**
 * Two stores as one, while files move between them. Objects are written to the first. Those that
 * the first has not are read from the second, and a removal is of both.
 */
import type { FileSettings } from '../settings/file-settings.ts'
import type { MakeBucketFetch } from './bucket-fetch.ts'
import { MissingObject, type ObjectStore, openObjectStore } from './object-store.ts'

function withFallback(first: ObjectStore, second: ObjectStore): ObjectStore {
  return {
    ...first,
    direct: first.direct && {
      ...first.direct,
      async signGet(name, answered) {
        const isThere = (await first.list(name)).some((one) => one.name === name)
        return isThere ? first.direct?.signGet(name, answered) : undefined
      },
    },
    async list(prefix) {
      const [own, others] = await Promise.all([first.list(prefix), second.list(prefix)])
      const all = new Map([...others, ...own].map((one) => [one.name, one]))
      return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    async read(name, range) {
      try {
        return await first.read(name, range)
      } catch (error) {
        if (!(error instanceof MissingObject)) throw error
        return second.read(name, range)
      }
    },
    // A second store that fails leaves the object in the first, so the sweep does both again.
    async remove(name) {
      await second.remove(name)
      await first.remove(name)
    },
    async removeAll(folder) {
      await second.removeAll(folder)
      await first.removeAll(folder)
    },
  }
}

/** The store of files; with the other one, if there is one, behind it. */
export async function openFileStore(
  { store, fallback }: Pick<FileSettings, 'store' | 'fallback'>,
  bucketFetch: MakeBucketFetch,
): Promise<ObjectStore> {
  const first = await openObjectStore(store, bucketFetch)
  return fallback ? withFallback(first, await openObjectStore(fallback, bucketFetch)) : first
}
