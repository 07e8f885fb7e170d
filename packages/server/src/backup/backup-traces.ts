/**
 * Finds backups and copies of a log in the configured folders: they prove that there was a
 * database.
 */
import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupSettings } from '../settings/backup-settings.ts'
import type { StoreSetting } from '../settings/store-settings.ts'
import { isStreamName, logFolder } from './log/log-names.ts'
import { timeOfName } from './take-backup.ts'

function findIn(folder: string, isOne: (one: Dirent) => boolean): readonly string[] {
  try {
    const found = readdirSync(folder, { withFileTypes: true }).find(isOne)
    return found ? [join(folder, found.name)] : []
  } catch {
    return [] // the folder does not exist yet
  }
}

const folderOf = (store: StoreSetting | undefined) => (store && 'folder' in store ? store.folder : undefined)

/** The path of one of each kind. */
export function backupsIn({ store, walCopy }: BackupSettings): readonly string[] {
  const [backups, copies] = [folderOf(store), folderOf(walCopy)]
  return [
    ...(backups === undefined ? [] : findIn(backups, (one) => one.isFile() && timeOfName(one.name) !== undefined)),
    ...(copies === undefined
      ? []
      : findIn(join(copies, logFolder), (one) => one.isDirectory() && isStreamName(one.name))),
  ]
}
