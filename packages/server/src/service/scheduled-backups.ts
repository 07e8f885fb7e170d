/**
 * Takes backups by a schedule: one of the processes that share the database takes each. Failures
 * are logged and tried again.
 */
import type { ServedEngine } from '../accounts/served-engine.ts'
import { captureInThread, packInThread } from '../backup/in-thread.ts'
import { findBackups, noteFailedBackup } from '../backup/last-backup.ts'
import { openBackupStore } from '../backup/open-backup-store.ts'
import { prune } from '../backup/prune.ts'
import { captureRows } from '../backup/rows-backup.ts'
import { takeBackup } from '../backup/take-backup.ts'
import type { Config } from '../config.ts'
import { ownVersion } from '../create/own-version.ts'
import type { Log } from '../http/logs/log.ts'
import { type BackupSchedule, type BackupSettings, backupLimits } from '../settings/backup-settings.ts'
import { bucketFetchOf } from '../stores/bucket-fetch.ts'
import { openFileStore } from '../stores/fallback-store.ts'

export type ScheduledBackupDeps = {
  readonly engine: ServedEngine
  readonly config: Pick<Config, 'database' | 'backups' | 'dataDir' | 'files'>
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

/** Throws `StartError` with the reason. */
async function take({ engine, config, log, stop }: ScheduledBackupDeps, backups: BackupSettings): Promise<void> {
  const { database, dataDir } = config
  if (!backups.store) return
  const store = await openBackupStore(backups.store, bucketFetchOf(engine.outgoing))
  const { name, bytes, manifest, files } = await takeBackup({
    database,
    store,
    to: backups.to,
    withSecrets: backups.to.length > 0,
    bindery: ownVersion(),
    dataDir,
    workers: { capture: captureInThread, pack: packInThread },
    captureRows: (folder) => captureRows(database, engine.catalog, { folder, stop }),
    openFiles: () => openFileStore(config.files, bucketFetchOf(engine.outgoing, 'files')),
    idleShare: backupLimits.idleShare,
    stop,
  })
  const removed = await prune(store, backups.keep)
  const more = removed.length > 0 ? `; ${removed.length} older ones were removed` : ''
  log.info(`Backup ${store.name}/${name} as of ${manifest.at}, ${bytes} bytes, is good${more}`)
  if (files && files.lacking > 0) {
    const [first] = files.lackingFirst
    log.warn(`It lacks ${files.lacking} files of records. ${first?.why}. bindery doctor --deep lists them`)
  }
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

export type BackupWork = {
  /** Checks from then on periodically whether a backup is due. */
  start(): void
  /** Begins a backup that is not due; false while this or another process takes one. */
  begin(): Promise<boolean>
  /** Whether this process takes one that it was asked for. */
  isTaking(): boolean
  stop(): Promise<void>
}

/** Takes one under the lease that scheduled ones have, and notes a failure as they do. */
async function takeLeased(parts: ScheduledBackupDeps): Promise<void> {
  const { engine, config, log, stop } = parts
  try {
    await take(parts, config.backups)
  } catch (error) {
    if (stop.aborted) return
    const why = (error as Error).message
    log.warn(`The backup that an operator asked for failed: ${why}`)
    await noteFailedBackup(config.database, { at: new Date(engine.clock()).toISOString(), why })
  } finally {
    await engine.storage.clearCounter(lease)
  }
}

/** The backups of this process, until it stops. */
export function makeBackups(given: Omit<ScheduledBackupDeps, 'stop'>): BackupWork {
  const controller = new AbortController()
  const parts = { ...given, stop: controller.signal }
  let running: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isTaking = false
  const look = () => {
    running = running.then(() => backUpWhenDue(parts)).catch(() => undefined)
  }
  return {
    start() {
      if (!given.config.backups.schedule) return
      timer = setInterval(look, backupLimits.lookMs).unref()
      look()
    },
    async begin() {
      const { storage, clock } = given.engine
      if ((await storage.countUp(lease, backupLimits.leaseMs, clock())).count > 1) return false
      isTaking = true
      const taken = takeLeased(parts).finally(() => {
        isTaking = false
      })
      running = Promise.all([running, taken]).catch(() => undefined)
      return true
    },
    isTaking: () => isTaking,
    async stop() {
      clearInterval(timer)
      controller.abort(new Error('the service stops'))
      await running
    },
  }
}
