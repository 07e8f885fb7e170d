/** What the doctor says of backups: how old the last good one is, whether one failed since, and whether one is overdue. */
import { lastBackups } from '../backup/last-backup.ts'
import type { Config } from '../config.ts'
import type { Findings } from '../storage/finding.ts'
import { printBytes } from './backup.ts'

const hourMs = 3_600_000

/** `1 minute`, `90 minutes`, `30 hours`, `4 days` */
function printAge(ms: number): string {
  if (Math.round(ms / 60_000) === 1) return '1 minute'
  if (ms < 2 * hourMs) return `${Math.round(ms / 60_000)} minutes`
  return ms < 48 * hourMs ? `${Math.round(ms / hourMs)} hours` : `${Math.round(ms / (24 * hourMs))} days`
}

/** `notes`: as the database has them. */
export function inspectBackups(
  { add }: Findings,
  { backups }: Config,
  { notes, nowMs }: { readonly notes: ReadonlyMap<string, string | undefined>; readonly nowMs: number },
): void {
  const { good, failed } = lastBackups(notes)
  const { schedule } = backups
  if (failed)
    add({
      level: 'warn',
      check: 'backup',
      where: failed.at,
      what: `the last backup failed: ${failed.why}`,
      todo: 'Mend what it says, then see that one is good: bindery backup FOLDER',
    })
  if (!good) {
    const todo = 'Take one: bindery backup FOLDER; by itself: BACKUP_SCHEDULE and BACKUP_DIR'
    add({
      level: schedule ? 'warn' : 'ok',
      check: 'backup',
      where: 'this database',
      what: 'none was ever made',
      todo,
    })
    return
  }
  const ageMs = Math.max(0, nowMs - Date.parse(good.at))
  // One that takes its time, or is tried again, is not overdue yet.
  const isOverdue = schedule !== undefined && ageMs > schedule.everyMs * 2
  add({
    level: isOverdue ? 'warn' : 'ok',
    check: 'backup',
    where: `${good.place}/${good.name}`,
    what: `the last good one is ${printAge(ageMs)} old, ${printBytes(good.bytes)}`,
    ...(isOverdue && {
      todo: `BACKUP_SCHEDULE is ${schedule.text}: look into the log of the service for why none came`,
    }),
  })
}
