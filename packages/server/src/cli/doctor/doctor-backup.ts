/**
 * The doctor's findings about backups: the age of the last good one, later failures, and overdue
 * ones.
 */
import { accessSync, constants } from 'node:fs'
import { lastBackups, type RestoreNote, restoredFrom } from '../../backup/last-backup.ts'
import { waitingFolder, waitingIn } from '../../backup/log/waiting-copies.ts'
import { timestampOf } from '../../base/clock.ts'
import { printBytes } from '../../base/print-bytes.ts'
import type { Config } from '../../config.ts'
import type { OutgoingSettings } from '../../settings/outgoing-settings.ts'
import type { StoreSetting } from '../../settings/store-settings.ts'
import type { DatabaseNotes } from '../../storage/database-kind.ts'
import type { Findings } from '../../storage/finding.ts'
import { existing } from './doctor-host.ts'

const hourMs = 3_600_000

/** `1 minute`, `90 minutes`, `30 hours`, `4 days` */
function printAge(ms: number): string {
  if (Math.round(ms / 60_000) === 1) return '1 minute'
  if (ms < 2 * hourMs) return `${Math.round(ms / 60_000)} minutes`
  return ms < 48 * hourMs ? `${Math.round(ms / hourMs)} hours` : `${Math.round(ms / (24 * hourMs))} days`
}

/** A running follower notes its position every second. */
const copiesLateMs = 60_000

/** Copies of the log without a full copy are useless. */
async function inspectRestorable(
  { about }: Findings,
  { outgoing, setting }: { readonly outgoing: OutgoingSettings; readonly setting: StoreSetting },
  nowMs: number,
): Promise<void> {
  const { openBackupStore } = await import('../../backup/open-backup-store.ts')
  const { ownBucketFetch } = await import('../../stores/bucket-fetch.ts')
  const { findRestorePointIn } = await import('../../backup/log/restore-log.ts')
  const store = await openBackupStore(setting, ownBucketFetch(outgoing))
  const found = await findRestorePointIn(store, nowMs).catch((error: Error) => error)
  if (found && !(found instanceof Error)) return
  about('log copies', store.name).bad(
    found ? `cannot be read: ${found.message}` : 'nothing can be restored from there: no whole copy is beneath',
    'A server makes one when it begins to copy, and says so: Copies of the log reach back to …. Where it does not, its log says why',
  )
}

/** Where `WAL_COPY` is set: whether the log is copied, and whether copies wait for their place. */
export async function inspectCopies(
  findings: Findings,
  { backups, database: { kind, setup }, dataDir, outgoing }: Config,
  nowMs: number,
): Promise<void> {
  const { about } = findings
  if (!backups.walCopy || !kind.ownLog) return
  const where = kind.describe(setup)
  const check = 'log copies'
  const copied = await kind.ownLog.copied(setup)
  if (!copied) {
    const todo = 'Start a server with WAL_COPY, and see its log: Copies of the log reach back to …'
    about(check, where).warn('the log is not copied', todo)
    return
  }
  const lateMs = nowMs - copied.untilMs
  const until = `copied up to ${timestampOf(copied.untilMs)}`
  if (lateMs > copiesLateMs && !copied.isEnded) {
    const todo = 'Is a server running? Its log says why: The log is not copied: …'
    about(check, where).warn(`${until}, ${printAge(lateMs)} ago`, todo)
  } else about(check, where).ok(copied.isEnded ? `${until}, the end of the last server` : until)
  await inspectRestorable(findings, { outgoing, setting: backups.walCopy }, nowMs)
  const waiting = await waitingIn(dataDir)
  if (waiting.length > 10)
    about(check, waitingFolder(dataDir)).warn(
      `${waiting.length} copies wait for their place, ${printBytes(waiting.reduce((sum, { bytes }) => sum + bytes, 0))}`,
      'See whether the bucket can be reached, and whether its key is right; they go on by themselves',
    )
}

/**
 * A note that the database brought along from a restore. The backup that it names counts until the
 * next one.
 */
function inspectRestored({ about }: Findings, { when, at, from }: RestoreNote): void {
  about('backup', from).ok(`restored on ${when}: everything acknowledged before ${at} is in it`)
}

/**
 * Whether a backup could be written to its place. It is checked by day, so that the place is
 * repaired before the backup at night.
 */
async function inspectPlace({ about }: Findings, { backups, outgoing }: Config): Promise<void> {
  if (!backups.store) return
  const { openBackupStore } = await import('../../backup/open-backup-store.ts')
  const { ownBucketFetch } = await import('../../stores/bucket-fetch.ts')
  const { store: setting } = backups
  const store = await openBackupStore(setting, ownBucketFetch(outgoing))
  try {
    if ('folder' in setting) accessSync(existing(setting.folder), constants.W_OK | constants.X_OK)
    await store.list('')
  } catch (error) {
    const todo =
      'folder' in setting ? 'mount or make the folder, and give it to this user' : 'see to the bucket and its key'
    const what = `backups cannot go there: ${(error as Error).message}`
    about('backup', store.name).bad(what, `Correct BACKUP_DIR, or ${todo}; then bindery backup`)
  }
}

/** `found`: the notes in the database, where it could be opened. */
export async function inspectBackups(
  findings: Findings,
  config: Config,
  { found, nowMs }: { readonly found: DatabaseNotes['found']; readonly nowMs: number },
): Promise<void> {
  await inspectPlace(findings, config)
  if (found) return inspectAge(findings, config, { notes: found, nowMs })
  const { folder } = { folder: 'FOLDER', ...config.backups.store }
  findings
    .about('backup', 'this database')
    .warn(
      'it cannot say when the last one was made',
      `See which there is, and whether it is good: bindery restore --check ${folder}`,
    )
}

function inspectAge(
  findings: Findings,
  { backups }: Config,
  { notes, nowMs }: { readonly notes: NonNullable<DatabaseNotes['found']>; readonly nowMs: number },
): void {
  const { good, failed } = lastBackups(notes)
  const restored = restoredFrom(notes)
  if (restored) inspectRestored(findings, restored)
  const { about, add } = findings
  const { schedule } = backups
  if (failed)
    about('backup', failed.at).warn(
      `the last backup failed: ${failed.why}`,
      'Mend what it says, then see that one is good: bindery backup FOLDER',
    )
  if (!good) {
    const todo = 'Take one: bindery backup FOLDER; by itself: BACKUP_SCHEDULE and BACKUP_DIR'
    // A restored backup counts as one, and so do copies of the log
    const hasOther = restored !== undefined || backups.walCopy !== undefined
    add({
      level: schedule || !hasOther ? 'warn' : 'ok',
      check: 'backup',
      where: 'this database',
      what: restored ? 'none was made since' : 'none was ever made',
      todo,
    })
    return
  }
  const ageMs = Math.max(0, nowMs - Date.parse(good.at))
  // A backup that runs long, or is tried again, is not overdue yet.
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
