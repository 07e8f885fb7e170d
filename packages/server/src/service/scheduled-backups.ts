/**
 * Takes backups by a schedule: one of the processes that share the database takes each. Failures
 * are logged and tried again.
 */
import { captureInThread, packInThread } from '../backup/in-thread.ts'
import { findBackups, noteFailedBackup } from '../backup/last-backup.ts'
import { prune } from '../backup/prune.ts'
import { captureRows } from '../backup/rows-backup.ts'
import { openBackupStore } from '../backup/stores/backup-store.ts'
import { takeBackup } from '../backup/take-backup.ts'
import type { Config } from '../config.ts'
import { ownVersion } from '../create/own-version.ts'
import type { Log } from '../http/logs/log.ts'
import type { Engine } from '../perform/engine.ts'
import { type BackupSchedule, type BackupSettings, backupLimits } from '../settings/backup-settings.ts'

export type ScheduledBackupDeps = {
  readonly engine: Engine
  readonly config: Pick<Config, 'database' | 'backups' | 'dataDir'>
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly stop: AbortSignal
}

const lease = 'backup'

/** When a backup was last due, in milliseconds since 1970. */
export function lastDue({ everyMs, offsetMs }: BackupSchedule, nowMs: number): number {
  return Math.floor((nowMs - offsetMs) / everyMs) * everyMs + offsetMs
}

async function isDue(
  { engine, config: { database } }: ScheduledBackupDeps,
  schedule: BackupSchedule,
): Promise<boolean> {
  const nowMs = engine.clock()
  const { good, failed } = await findBackups(database)
  if (good && Date.parse(good.at) >= lastDue(schedule, nowMs)) return false
  return !failed || Date.parse(failed.at) < nowMs - backupLimits.retryMs
}

async function take({ engine, config, log, stop }: ScheduledBackupDeps, backups: BackupSettings): Promise<void> {
  const { database, dataDir } = config
  if (!backups.store) return
  const store = await openBackupStore(backups.store)
  const { name, bytes, manifest } = await takeBackup({
    database,
    store,
    to: backups.to,
    withSecrets: backups.to.length > 0,
    bindery: ownVersion(),
    dataDir,
    workers: { capture: captureInThread, pack: packInThread },
    captureRows: (folder) => captureRows(database, engine.catalog, { folder, stop }),
    idleShare: backupLimits.idleShare,
    stop,
  })
  const removed = await prune(store, backups.keep)
  const more = removed.length > 0 ? `; ${removed.length} older ones were removed` : ''
  log.info(`Backup ${store.name}/${name} as of ${manifest.at}, ${bytes} bytes, is good${more}`)
}

/**
 * Takes a backup if one is due and no other process takes it. Returns whether it tried. Throws when
 * the database cannot be reached.
 */
export async function backUpWhenDue(parts: ScheduledBackupDeps): Promise<boolean> {
  const { engine, config, log, stop } = parts
  const { schedule } = config.backups
  if (!schedule || !(await isDue(parts, schedule))) return false
  // The counter is a lease, as for sweeps. When a process is killed meanwhile, another one takes
  // over after the lease has ended
  if ((await engine.storage.countUp(lease, backupLimits.leaseMs, engine.clock())).count > 1) return false
  try {
    // another process may have just finished
    if (await isDue(parts, schedule)) await take(parts, config.backups)
  } catch (error) {
    if (stop.aborted) return true
    const why = (error as Error).message
    log.warn(`The backup that was due failed: ${why}. It is tried again in ${backupLimits.retryMs / 60_000} minutes`)
    await noteFailedBackup(config.database, { at: new Date(engine.clock()).toISOString(), why })
  } finally {
    await engine.storage.clearCounter(lease)
  }
  return true
}

/** Checks periodically whether a backup is due, until it is stopped. */
export function startBackups(parts: Omit<ScheduledBackupDeps, 'stop'>): { stop(): Promise<void> } {
  const controller = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  const look = () => {
    running = running.then(() => backUpWhenDue({ ...parts, stop: controller.signal })).catch(() => undefined)
  }
  const timer = parts.config.backups.schedule && setInterval(look, backupLimits.lookMs)
  timer?.unref()
  if (timer) look()
  return {
    async stop() {
      clearInterval(timer)
      controller.abort(new Error('the service stops'))
      await running
    },
  }
}
