/** Restores a database as it was at a moment: a full copy, and the log segments after it. */
import { StartError } from '../../errors.ts'
import type { DatabaseKind } from '../../storage/database-kind.ts'
import type { ObjectStore } from '../../stores/object-store.ts'
import { kindOf } from '../backup-work.ts'
import { putBackSecrets } from '../drawn-secrets.ts'
import { restoreFiles } from '../files/restore-files.ts'
import type { Manifest } from '../manifest.ts'
import { unpack } from '../pack.ts'
import {
  filesOfBackup,
  type OpenedBackup,
  openBackup,
  type RestoredParts,
  type RestoreRequest,
  refuseOccupied,
  type UnpackedBackup,
  unpackInto,
} from '../restore-backup.ts'
import { aliveName, findRestorePoint, logFolder, parseStreams, type RestorePoint } from './log-names.ts'

export type FoundRestorePoint = RestorePoint & {
  /** All writes acknowledged before this time are restored (milliseconds since 1970). */
  readonly untilMs: number
}

/** The largest valid file. */
const aliveBytesMax = 1_000

async function beginningOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = Buffer.alloc(0)
  for await (const chunk of chunks) {
    text = Buffer.concat([text, chunk])
    if (text.length > aliveBytesMax) break
  }
  return text.toString()
}

/** Until when no more was written, if that is known and later than the last segment. */
async function aliveUntil(store: ObjectStore, { stream, base, segments }: RestorePoint, atMs: number): Promise<number> {
  const last = segments.at(-1)
  const untilMs = last?.untilMs ?? base.untilMs
  try {
    const said = JSON.parse(await beginningOf(await store.read(aliveName(stream)))) as {
      number: number
      untilMs: number
    }
    const isOfLast = said.number === (last?.number ?? base.first - 1)
    return isOfLast ? Math.max(untilMs, Math.min(said.untilMs, atMs)) : untilMs
  } catch {
    return untilMs
  }
}

/**
 * The latest moment in a place that is not after `atMs`. Undefined where it has no log copies, or
 * none that reach back so far.
 */
export async function findRestorePointIn(store: ObjectStore, atMs: number): Promise<FoundRestorePoint | undefined> {
  const streams = parseStreams((await store.list(logFolder)).map(({ name }) => name))
  const moment = findRestorePoint(streams, atMs)
  return moment && { ...moment, untilMs: await aliveUntil(store, moment, atMs) }
}

/** `folder`: an empty working folder. */
export type RestorePointRequest = {
  readonly store: ObjectStore
  readonly moment: FoundRestorePoint
  readonly identities: readonly string[]
  readonly folder: string
}

async function* segmentsOf({ store, moment, identities }: RestorePointRequest): AsyncGenerator<AsyncIterable<Buffer>> {
  for (const { name } of moment.segments) yield unpack(await store.read(name), identities)
}

/**
 * Makes the full copy with the log applied, in the folder, and verifies it. `into`: the only kind
 * of database that can use it. Throws `StartError` for damaged or missing files.
 */
export async function buildRestorePoint(
  order: RestorePointRequest,
  into?: DatabaseKind,
): Promise<UnpackedBackup & Pick<OpenedBackup, 'manifest'>> {
  const { store, moment, identities, folder } = order
  const opened = await openBackup(await store.read(moment.base.name), identities)
  const { manifest } = opened
  const kind = kindOf(manifest.database)
  const { ownLog, ownBackup } = kind
  if (!ownLog || !ownBackup || (into && into !== kind))
    throw new StartError(`Copies of a log of ${manifest.database} go into ${kind.form} alone; copy it from there`)
  const { file, secrets } = await unpackInto(opened, folder)
  await ownLog.apply(file, segmentsOf(order))
  return { file, secrets, manifest: { ...manifest, tables: await ownBackup.count(file) } }
}

/**
 * Returns the restored contents. Throws `StartError` with one clear reason; then the place is as
 * empty as before.
 */
export async function restoreToPoint(
  order: RestorePointRequest & Pick<RestoreRequest, 'database' | 'wanted' | 'files'>,
): Promise<RestoredParts & { readonly tables: Manifest['tables'] }> {
  const { database, wanted } = order
  await refuseOccupied(database)
  const { file, secrets, manifest } = await buildRestorePoint(order, database.kind)
  const files = await restoreFiles(filesOfBackup({ manifest }, file), order.files)
  await database.kind.ownBackup?.putBack(database.setup, file)
  return { tables: manifest.tables, files, secrets: await putBackSecrets(database, secrets, wanted) }
}
