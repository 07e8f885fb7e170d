/** Backups and copies of a log in the folders that the configuration names: where there are some, there was a database. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupSettings, PlaceSetting } from '../settings/backup-settings.ts'
import { logFolder } from './log-names.ts'
import { timeOfName } from './take-backup.ts'

function findIn(place: PlaceSetting | undefined, isOne: (name: string) => boolean): readonly string[] {
  if (!place || !('folder' in place)) return []
  try {
    const name = readdirSync(place.folder).find(isOne)
    return name === undefined ? [] : [join(place.folder, name)]
  } catch {
    return [] // there is no such folder yet
  }
}

/** One of each kind, as paths. */
export function backupsIn({ place, walCopy }: BackupSettings): readonly string[] {
  return [
    ...findIn(place, (name) => timeOfName(name) !== undefined),
    ...findIn(walCopy, (name) => `${name}/` === logFolder),
  ]
}
