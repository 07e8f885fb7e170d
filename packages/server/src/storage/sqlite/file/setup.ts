/** Parses the address of a SQLite file, compares two paths, and prepares the folder. */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { fail } from '../../../base/environment.ts'
import { StartError } from '../../../errors.ts'

export type SqliteSetup = {
  readonly path: string
  /** The folder for files beside the database. */
  readonly dataDir: string
  /** Whether a follower copies the log: then only the follower makes checkpoints. */
  readonly copied?: boolean
  /** The identity of the file that this process serves; absent before it does. */
  readonly joined?: string | undefined
}

/** `sqlite:PATH`, `sqlite://PATH`. Undefined for anything else. */
export function parseSqlite(address: string, dataDir: string): SqliteSetup | undefined {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(address)?.[1]
  if (path === undefined) return undefined
  if (path.includes(':memory:'))
    fail('DATABASE_URL', 'must name a file: two connections cannot share a database in memory')
  return { path: resolve(path), dataDir }
}

function fileOf(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file && `${file.dev} ${file.ino}`
}

/** Also true for two paths to one file. */
export function isSameFile(a: string, b: string): boolean {
  if (a === b) return true
  const file = fileOf(a)
  return file !== undefined && file === fileOf(b)
}

/**
 * Prepares the folder of a file that may have to be created: creates the service's own folder if it
 * is missing. Throws `StartError` for any other missing folder, which is probably a mistyped
 * address.
 */
export function prepareFolder({ path, dataDir }: SqliteSetup): void {
  const folder = dirname(path)
  if (folder === dataDir) makeFolder(folder)
  else if (!existsSync(folder))
    throw new StartError(
      `There is no folder ${folder} for the database ${basename(path)}: make it, or correct the address`,
    )
}

export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(`Cannot make the folder ${path}: ${(error as Error).message}`)
  }
}
