/**
 * Takes one backup while writes continue: captures and verifies it, copies its files, packs it.
 * Then it puts it into its place, and notes it in its database.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../errors.ts'
import type { ConfiguredDatabase } from '../storage/database-kind.ts'
import { whileFilesHeld } from '../storage/held-files.ts'
import type { CapturedBackup } from '../storage/native-backup.ts'
import type { ObjectStore } from '../stores/object-store.ts'
import { type CaptureJob, captureNative, type PackedBackup, type PackJob, packBackup } from './backup-work.ts'
import { findSecrets } from './drawn-secrets.ts'
import { type FileCopies, withFileCopies } from './files/copy-files.ts'
import { listName } from './files/copy-names.ts'
import { removeReplacedLists } from './files/prune-copies.ts'
import { noteGoodBackup } from './last-backup.ts'
import type { Manifest } from './manifest.ts'
import { inWorkFolder } from './work-folder.ts'

export type BackupWorkers = {
  capture(job: CaptureJob, stop?: AbortSignal): Promise<CapturedBackup>
  pack(job: PackJob, stop?: AbortSignal): Promise<PackedBackup>
}
/** For a process without other work. */
export const inThisProcess: BackupWorkers = { capture: captureNative, pack: packBackup }

export type BackupRequest = {
  readonly database: ConfiguredDatabase
  readonly store: ObjectStore
  /** Its name in the place; by default from its time. */
  readonly name?: string | undefined
  /** Public keys of age. */
  readonly to: readonly string[]
  /** Whether the backup includes the generated secret and key pair of access tokens. */
  readonly withSecrets: boolean
  readonly force?: boolean
  /** The version of this program. */
  readonly bindery: string
  /** Working space for places that are not folders. */
  readonly dataDir: string
  readonly workers: BackupWorkers
  /** Writes rows one by one, where the kind of database has no backup format of its own. */
  captureRows(folder: string): Promise<CapturedBackup>
  /** Opens the store of the files of records. It is called where the database has files. */
  openFiles(): Promise<ObjectStore>
  readonly idleShare: number
  readonly stop?: AbortSignal
}

export type TakenBackup = {
  /** Its name in the place. */
  readonly name: string
  readonly bytes: number
  readonly manifest: Manifest
  readonly encrypted: boolean
  /** Of a database with files. */
  readonly files?: FileCopies | undefined
  /** Why the backup is not in the database's own format, where it has one. */
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

type CapturedWork = {
  readonly folder: string
  readonly captured: CapturedBackup
  readonly copies: FileCopies | undefined
}

/** The list of files comes before the backup, which gets its name last. */
async function packAndPut(order: BackupRequest, { folder, captured, copies }: CapturedWork): Promise<TakenBackup> {
  const { database, store, to, workers, stop, bindery } = order
  const secrets = order.withSecrets ? await findSecrets(database) : {}
  const files = copies && { count: copies.count, bytes: copies.bytes, lacking: copies.lacking }
  const job = { part: 'pack', folder, captured, bindery, database: database.kind.name, secrets, to, files } as const
  const { file, bytes, manifest } = await workers.pack(job, stop)
  stop?.throwIfAborted()
  const encrypted = to.length > 0
  const name = order.name ?? nameOf(manifest.at, encrypted)
  if (copies && copies.count > 0) await store.put(listName(name, manifest.at), copies.list)
  await store.put(name, file, order.force)
  if (copies && order.force) await removeReplacedLists(store, name, manifest.at)
  await noteGoodBackup(database, { at: manifest.at, place: store.name, name, bytes })
  return { name, bytes, manifest, encrypted, files: copies }
}

/** Throws `StartError` with one clear reason; then the place has no partial file. */
export async function takeBackup(order: BackupRequest): Promise<TakenBackup> {
  const { database, store } = order
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
  const work = async (folder: string) => {
    const { captured, obstacle } = await capture(order, folder)
    const content = { database: database.kind.name, name: captured.file, file: join(folder, captured.file), folder }
    return withFileCopies(content, { ...order, place: store }, async (copies) => {
      const taken = await packAndPut(order, { folder, captured, copies })
      return { ...taken, obstacle }
    })
  }
  return whileFilesHeld(database, () => inWorkFolder(base, work))
}
