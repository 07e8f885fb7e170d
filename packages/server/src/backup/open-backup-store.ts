/**
 * The store of backups and log copies. Its folder may be that of a volume with other files. So only
 * the folders of log copies, and of copies of files, are its own.
 */
import type { StoreSetting } from '../settings/store-settings.ts'
import type { MakeBucketFetch } from '../stores/bucket-fetch.ts'
import { type ObjectStore, openObjectStore } from '../stores/object-store.ts'
import { isCopiesFolder } from './files/copy-names.ts'
import { isOwnFolder } from './log/log-names.ts'

export function openBackupStore(setting: StoreSetting, bucketFetch: MakeBucketFetch): Promise<ObjectStore> {
  return openObjectStore(setting, bucketFetch, { owns: (folder) => isOwnFolder(folder) || isCopiesFolder(folder) })
}
