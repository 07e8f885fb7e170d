/**
 * The interface of a place for backups: files by name, each written whole or not at all. A name may
 * contain slashes.
 */
import type { BackupStoreSetting } from '../../settings/backup-settings.ts'
import type { MakeBucketFetch } from './bucket-fetch.ts'

export type StoredFile = { readonly name: string; readonly bytes: number }

export type BackupStore = {
  /** The printed name: the folder, or `s3://bucket/prefix`. */
  readonly name: string
  /**
   * A folder for making large files before they are put here; undefined where any folder will do.
   */
  readonly workFolder: string | undefined
  /**
   * The files of backups or log copies whose name begins with `prefix`, by name. Other folders and
   * links are left out.
   */
  list(prefix: string): Promise<readonly StoredFile[]>
  /** Throws `StartError` when there is no such file. */
  read(name: string): Promise<AsyncIterable<Buffer>>
  /**
   * Moves a local file here. Throws `StartError` where the name exists, unless it may be replaced.
   */
  put(name: string, file: string, replace?: boolean): Promise<void>
  /** Replaces an existing file. */
  putBytes(name: string, bytes: Buffer): Promise<void>
  /** The file may be missing already. */
  remove(name: string): Promise<void>
}

export async function openBackupStore(setting: BackupStoreSetting, bucketFetch: MakeBucketFetch): Promise<BackupStore> {
  if ('folder' in setting) {
    const { openFolderStore } = await import('./folder-store.ts')
    return openFolderStore(setting.folder)
  }
  const { openBucketStore } = await import('./bucket-store.ts')
  return openBucketStore(setting, bucketFetch())
}
