/** How old the last good backup is, for whoever watches the service. */
import { findBackups, type GoodBackup } from '../backup/last-backup.ts'
import type { Clock } from '../clock.ts'
import { type Source, shared } from '../observe/meter.ts'
import type { Database } from '../storage/database-kind.ts'

/** A look opens connections of its own. */
const lookMs = 60_000

export function backupAge(database: Database, clock: Clock): Source {
  let lookedMs = Number.NEGATIVE_INFINITY
  let good: GoodBackup | undefined
  return async () => {
    if (clock() - lookedMs > lookMs) {
      lookedMs = clock()
      good = (await findBackups(database)).good
    }
    const named = { name: 'bindery_backup_age_seconds', help: 'Since the last good backup.' }
    return good ? [shared(named, Math.max(0, clock() - Date.parse(good.at)) / 1000)] : []
  }
}
