/** Where backups are kept: files by name, each there whole or not at all. A name may have slashes. */
import type { PlaceSetting } from '../../settings/backup-settings.ts'

export type Kept = { readonly name: string; readonly bytes: number }

export type Place = {
  /** For people: the folder, or `s3://bucket/prefix`. */
  readonly name: string
  /** Where a large file is made before it is put here; undefined where any folder will do. */
  readonly workFolder: string | undefined
  /**
   * Every file of a backup's or a copy's form whose name begins so, by name: nothing in folders of
   * others, and no links.
   */
  list(prefix: string): Promise<readonly Kept[]>
  /** Throws `StartError` when it is not there. */
  read(name: string): Promise<AsyncIterable<Buffer>>
  /** A file of this machine, which is used up. Throws `StartError` where there is one of that name, unless it may be replaced. */
  put(name: string, file: string, replace?: boolean): Promise<void>
  /** Replaces what is there. */
  putBytes(name: string, bytes: Buffer): Promise<void>
  /** It may be gone already. */
  remove(name: string): Promise<void>
}

export async function openPlace(setting: PlaceSetting): Promise<Place> {
  if ('folder' in setting) {
    const { openFolder } = await import('./folder-place.ts')
    return openFolder(setting.folder)
  }
  const { openBucket } = await import('./bucket-place.ts')
  return openBucket(setting)
}
