/** The store of files, for commands. */
import type { Config } from '../../config.ts'
import type { ObjectStore } from '../../stores/object-store.ts'

export async function openFilesStore({ files, outgoing }: Pick<Config, 'files' | 'outgoing'>): Promise<ObjectStore> {
  const { openFileStore } = await import('../../stores/fallback-store.ts')
  const { ownBucketFetch } = await import('../../stores/bucket-fetch.ts')
  return openFileStore(files, ownBucketFetch(outgoing))
}
