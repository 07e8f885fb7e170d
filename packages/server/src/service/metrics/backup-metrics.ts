/** Metrics of backups: the age of the last good one, and the lag of log copies. */
import { findBackups, type LastBackups } from '../../backup/last-backup.ts'
import type { Clock } from '../../base/clock.ts'
import type { FamilySource } from '../../observe/meter.ts'
import { shared } from '../../observe/metric-family.ts'
import type { ConfiguredDatabase } from '../../storage/database-kind.ts'
import type { LogCopies } from '../log-copies.ts'

/** A read opens connections of its own, so it is cached this long. */
const lookMs = 60_000

/** The state of backups, at most a minute old. */
export type ReadBackupState = () => Promise<LastBackups>

export function makeReadBackupState(database: ConfiguredDatabase, clock: Clock): ReadBackupState {
  let lookedMs = Number.NEGATIVE_INFINITY
  let found: Promise<LastBackups> | undefined
  return () => {
    if (!found || clock() - lookedMs > lookMs) {
      lookedMs = clock()
      found = findBackups(database).catch((error) => {
        found = undefined
        throw error
      })
    }
    return found
  }
}

/** The lag of log copies, where this process makes them. */
export function copiesAge({ age }: LogCopies): FamilySource {
  return async () => {
    const help = 'Since the last moment that could be restored from the copies of the log.'
    const found = age()
    return found ? [shared('bindery_log_copy_age_seconds', help, found.ageSeconds)] : []
  }
}

export function backupAge(backups: ReadBackupState, clock: Clock): FamilySource {
  return async () => {
    const { good } = await backups()
    if (!good) return []
    const seconds = Math.max(0, clock() - Date.parse(good.at)) / 1000
    return [shared('bindery_backup_age_seconds', 'Since the last good backup.', seconds)]
  }
}
