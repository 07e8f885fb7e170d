/**
 * One backup: taken while others write, looked at, packed up, put where it belongs, and noted in
 * the database that it is of.
 */
import { mkdirSync } from 'node:fs'
import { StartError } from '../errors.ts'
import type { ConfiguredDatabase } from '../storage/database-kind.ts'
import type { CapturedBackup } from '../storage/native-backup.ts'
import { type CaptureJob, captureNative, type PackedBackup, type PackJob, packBackup } from './backup-work.ts'
import { findSecrets } from './drawn-secrets.ts'
import { noteGoodBackup } from './last-backup.ts'
import type { Manifest } from './manifest.ts'
import type { BackupStore } from './stores/backup-store.ts'
import { inWorkFolder } from './work-folder.ts'

export type BackupWorkers = {
  capture(job: CaptureJob, stop?: AbortSignal): Promise<CapturedBackup>
  pack(job: PackJob, stop?: AbortSignal): Promise<PackedBackup>
}
/** For a process that does nothing else. */
export const inThisProcess: BackupWorkers = { capture: captureNative, pack: packBackup }

export type BackupRequest = {
  readonly database: ConfiguredDatabase
  readonly store: BackupStore
  /** Its name in the place; one of its time unless said. */
  readonly name?: string | undefined
  /** Recipients of age. */
  readonly to: readonly string[]
  /** Whether the generated secret and key pair of access tokens go along. */
  readonly withSecrets: boolean
  readonly force?: boolean
  /** Of this program. */
  readonly bindery: string
  /** For what is made before it is put into a place that is no folder. */
  readonly dataDir: string
  readonly workers: BackupWorkers
  /** Writes rows one by one, where the database has no form of its own. */
  captureRows(folder: string): Promise<CapturedBackup>
  readonly idleShare: number
  readonly stop?: AbortSignal
}

export type TakenBackup = {
  /** Its name in the place. */
  readonly name: string
  readonly bytes: number
  readonly manifest: Manifest
  readonly encrypted: boolean
  /** Why the backup is not of the database's own form, where it has one. */
  readonly obstacle?: string | undefined
}

const nameBegin = 'bindery-'

/** `bindery-20261122T160000123Z.tar.zst` */
function nameOf(at: string, encrypted: boolean): string {
  return `${nameBegin}${at.replace(/[-:.]/g, '')}.tar.zst${encrypted ? '.age' : ''}`
}

/** The time in a name that `nameOf` made; undefined for any other file. */
export function timeOfName(name: string): number | undefined {
  const parts = /^bindery-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.tar\.zst(\.age)?$/.exec(name)?.slice(1, 8)
  if (!parts) return undefined
  const [year = 0, month = 1, ...rest] = parts.map(Number)
  return Date.UTC(year, month - 1, ...rest)
}

async function capture(order: BackupRequest, folder: string): Promise<{ captured: CapturedBackup; obstacle?: string }> {
  const { kind, setup } = order.database
  if (!kind.ownBackup) return { captured: await order.captureRows(folder) }
  const obstacle = await kind.ownBackup.obstacle?.(setup)
  if (obstacle !== undefined) return { captured: await order.captureRows(folder), obstacle }
  const job = { part: 'capture', kind: kind.name, setup, folder, idleShare: order.idleShare } as const
  return { captured: await order.workers.capture(job, order.stop) }
}

/** Throws `StartError` with one clear reason; then nothing is left in the place. */
export async function takeBackup(order: BackupRequest): Promise<TakenBackup> {
  const { database, store, to, workers, stop } = order
  if (order.name !== undefined && !order.force) {
    const there = (await store.list(order.name)).some(({ name }) => name === order.name)
    if (there) throw new StartError(`${store.name}/${order.name} is there already; --force replaces it`)
  }
  const base = store.workFolder ?? order.dataDir
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(`Cannot make the folder ${base}: ${(error as Error).message}`, { cause: error })
  }
  return inWorkFolder(base, async (folder) => {
    const { captured, obstacle } = await capture(order, folder)
    const secrets = order.withSecrets ? await findSecrets(database) : {}
    const { bindery } = order
    const job = { part: 'pack', folder, captured, bindery, database: database.kind.name, secrets, to } as const
    const { file, bytes, manifest } = await workers.pack(job, stop)
    stop?.throwIfAborted()
    const name = order.name ?? nameOf(manifest.at, to.length > 0)
    await store.put(name, file, order.force)
    await noteGoodBackup(database, { at: manifest.at, place: store.name, name, bytes })
    return { name, bytes, manifest, encrypted: to.length > 0, obstacle }
  })
}
