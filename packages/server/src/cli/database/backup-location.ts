/** Parses the place of backups on the command line: a file, a folder, or a prefix in a bucket. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { UsageError } from '../../command/usage-error.ts'
import { ownEnvironment } from '../../config.ts'
import { StartError } from '../../errors.ts'
import { parseStore, type StoreSetting } from '../../settings/store-settings.ts'
import { fileError } from '../failure.ts'

/** `name`: of one file in the place; undefined for the whole place. */
export type BackupLocation = { readonly setting: StoreSetting; readonly name: string | undefined }

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? path.endsWith('/')
}

/**
 * `backups/` → the folder; `backups/a.tar.zst` → a file in it, which need not exist;
 * `s3://bucket/a` → a prefix.
 */
export function parseBackupLocation(argument: string): BackupLocation {
  const setting = parseStore(argument, argument, ownEnvironment())
  if (!setting) throw new UsageError('the place must not be empty')
  if (!('folder' in setting)) {
    const file = /^(.*\/)?([^/]+\.tar\.zst(\.age)?)\/$/.exec(setting.prefix)
    return file ? { setting: { ...setting, prefix: file[1] ?? '' }, name: file[2] } : { setting, name: undefined }
  }
  const path = resolve(argument)
  if (isFolder(argument)) return { setting, name: undefined }
  if (!existsSync(dirname(path))) throw new StartError(`There is no folder ${dirname(path)}`)
  return { setting: { folder: dirname(path) }, name: basename(path) }
}

/** The secret keys in a key file of age: one a line, with comments. */
export function identitiesIn(file: string | undefined): string[] {
  if (file === undefined) return []
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw fileError('read', file, error)
  }
  const keys = text.split('\n').flatMap((line) => (line.startsWith('AGE-SECRET-KEY-') ? [line.trim()] : []))
  if (keys.length === 0) throw new UsageError(`${file} has no key of age: a line that begins with AGE-SECRET-KEY-`)
  return keys
}
