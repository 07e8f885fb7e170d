/**
 * Where backups are kept: files by name, each there whole or not at all. A name may have slashes.
 */
import type { BackupStoreSetting } from '../../settings/backup-settings.ts'

export type StoredFile = { readonly name: string; readonly bytes: number }

export type BackupStore = {
  /** For people: the folder, or `s3://bucket/prefix`. */
  readonly name: string
  /** Where a large file is made before it is put here; undefined where any folder will do. */
  readonly workFolder: string | undefined
  /**
   * Every file of a backup's or a copy's form whose name begins so, by name: nothing in folders of
   * others, and no links.
   */
  list(prefix: string): Promise<readonly StoredFile[]>
  /** Throws `StartError` when it is not there. */
  read(name: string): Promise<AsyncIterable<Buffer>>
  /**
   * A file of this machine, which is used up. Throws `StartError` where there is one of that name,
   * unless it may be replaced.
   */
  put(name: string, file: string, replace?: boolean): Promise<void>
  /** Replaces what is there. */
  putBytes(name: string, bytes: Buffer): Promise<void>
  /** It may be gone already. */
  remove(name: string): Promise<void>
}

export async function openBackupStore(setting: BackupStoreSetting): Promise<BackupStore> {
  if ('folder' in setting) {
    const { openFolderStore } = await import('./folder-store.ts')
    return openFolderStore(setting.folder)
  }
  const { openBucketStore } = await import('./bucket-store.ts')
  return openBucketStore(setting)
}
