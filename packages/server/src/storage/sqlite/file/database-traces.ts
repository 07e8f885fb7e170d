/**
 * Detects that a missing database was once there: its disk is not mounted, or it was deleted. A
 * service that created a new one would serve no records, and create a new first ADMIN.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StartError } from '../../../errors.ts'
import { type CreateMode, newDatabaseFlag, secretNames } from '../../database-kind.ts'
import { isDatabaseThere } from './database-head.ts'
import { hasLog } from './log-match.ts'
import { secretFileIn } from './secret-file.ts'
import type { SqliteSetup } from './setup.ts'

/**
 * The service's own files in its data folder, besides secrets: notes from serving, and data that a
 * migration saved.
 */
const ownFiles = /^(space-samples\.json|lost-.*\.ndjson)$/

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function findTraces({ path, dataDir }: SqliteSetup, others: readonly string[]): readonly string[] {
  const name = basename(path)
  const beside = namesIn(dirname(path)).filter((one) => one.startsWith(`${name}-`) && one !== `${name}-journal`)
  const own = namesIn(dataDir).filter((one) => ownFiles.test(one))
  const full = beside.map((one) => join(dirname(path), one)).filter((one) => statSync(one).size > 0)
  const secrets = secretNames.map((one) => secretFileIn(dataDir, one)).filter((one) => existsSync(one))
  return [...full, ...secrets, ...own.map((one) => join(dataDir, one)), ...others]
}

/** Moves the log aside: it may have the only copy of the last writes. */
function setLogAside(path: string, report: (message: string) => void): void {
  rmSync(`${path}-shm`, { force: true })
  if (!hasLog(path)) return
  const aside = `${path}-wal.${new Date().toISOString().replace(/[-:.]/g, '')}`
  renameSync(`${path}-wal`, aside)
  report(`The log of a database that is gone was moved to ${aside}`)
}

export type CreateRequest = {
  readonly making: CreateMode | undefined
  /** Traces elsewhere, such as a folder that has backups. */
  readonly others?: readonly string[] | undefined
  readonly report: (message: string) => void
}

/**
 * Throws `StartError` for a missing database, unless one may be created. Returns whether to create
 * it.
 */
export function mayMake(setup: SqliteSetup, { making, others = [], report }: CreateRequest): boolean {
  const { path } = setup
  if (isDatabaseThere(path)) return false
  if (making === undefined)
    throw new StartError(
      `There is no database ${path}. If this place is new, the first bindery start makes it, or bindery migrate. If there was one, see whether its disk is mounted and DATA_DIR and DATABASE_URL are right: bindery doctor`,
    )
  if (making === 'anew') {
    setLogAside(path, report)
    return true
  }
  const traces = making === 'fresh' ? findTraces(setup, others) : []
  if (traces.length === 0) return true
  if (isDatabaseThere(path)) return false // another process has created it meanwhile
  throw new StartError(
    `There is no database ${path}, and there was one: ${traces.slice(0, 3).join(', ')}${traces.length > 3 ? ` and ${traces.length - 3} more` : ''} ${traces.length === 1 ? 'is' : 'are'} there. See whether its disk is mounted and DATA_DIR and DATABASE_URL are right, or restore a backup: bindery restore --help. To begin with a new, empty one all the same: bindery start ${newDatabaseFlag}`,
  )
}
