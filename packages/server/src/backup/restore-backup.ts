/**
 * Restores a backup into an empty place. It reads and verifies the backup before it gives it the
 * name of a database.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { StartError } from '../errors.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { KeptFile } from '../storage/copy/kept-files.ts'
import type { ConfiguredDatabase, SecretName } from '../storage/database-kind.ts'
import { copyStorage } from '../storage/open.ts'
import { kindOf } from './backup-work.ts'
import { nameOfSecretFile, putBackSecrets, type SavedSecrets, secretBytesMax } from './drawn-secrets.ts'
import { keptFilesIn } from './files/copy-files.ts'
import type { BroughtFiles } from './files/each-file.ts'
import { type FileRestore, restoreFiles } from './files/restore-files.ts'
import { type Manifest, manifestBytesMax, manifestName, parseManifest } from './manifest.ts'
import { unpack } from './pack.ts'
import { checkRows, putBackRows, rowsContent, unwatched } from './rows-backup.ts'
import { readTar, type TarEntry, textOf } from './tar.ts'

export type OpenedBackup = {
  readonly manifest: Manifest
  readonly rest: AsyncIterator<TarEntry>
}
export type UnpackedBackup = { readonly file: string; readonly secrets: SavedSecrets }

/**
 * Reads only the beginning. `identities`: secret keys of age. Throws `StartError` for bytes that
 * are not a backup.
 */
export async function openBackup(chunks: AsyncIterable<Buffer>, identities: readonly string[]): Promise<OpenedBackup> {
  const rest = readTar(await unpack(chunks, identities))
  const first = await rest.next()
  if (first.done || first.value.name !== manifestName) throw new StartError('This is no backup of Bindery')
  return { manifest: parseManifest(await textOf(first.value, manifestBytesMax)), rest }
}

/**
 * Writes the content into the folder and verifies it. Throws `StartError` unless it equals the
 * captured one.
 */
export async function unpackInto({ manifest, rest }: OpenedBackup, folder: string): Promise<UnpackedBackup> {
  const { content, tables } = manifest
  const file = join(folder, 'database')
  const secrets: { [name in SecretName]?: string } = {}
  let sum: string | undefined
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    const entry = next.value
    const secret = nameOfSecretFile(entry.name)
    if (secret) secrets[secret] = await textOf(entry, secretBytesMax)
    else if (entry.name === content.name) {
      if (entry.bytes !== content.bytes)
        throw new StartError('The backup is damaged: its content has another size than it says')
      const hash = createHash('sha256')
      const hashing = async function* () {
        for await (const chunk of entry.body) {
          hash.update(chunk)
          yield chunk
        }
      }
      await pipeline(hashing(), createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true }))
      sum = hash.digest('hex')
    } else for await (const _unknown of entry.body);
  }
  if (sum !== content.sha256) throw new StartError('The backup is damaged: its content has not the SHA-256 beside it')
  if (content.name === rowsContent) await checkRows(file)
  else await kindOf(manifest.database).ownBackup?.check(file, tables)
  return { file, secrets }
}

/** The files whose bytes belong to an unpacked backup, by id. */
export function filesOfBackup({ manifest }: Pick<OpenedBackup, 'manifest'>, file: string): AsyncIterable<KeptFile> {
  return keptFilesIn({ database: manifest.database, name: manifest.content.name, file })
}

export type RestoreRequest = {
  readonly database: ConfiguredDatabase
  readonly catalog: Catalog
  /** An empty folder, on the disk of the database where that is a file. */
  readonly folder: string
  /** The secrets to restore: those that the configuration lacks. */
  readonly wanted: readonly SecretName[]
  readonly files: FileRestore
}

/** The parts that a restore brought back besides the database. */
export type RestoredParts = { readonly secrets: readonly SecretName[]; readonly files: BroughtFiles }

async function putBack(opened: OpenedBackup, order: RestoreRequest, file: string): Promise<void> {
  const { database, catalog } = order
  const { content, database: name } = opened.manifest
  if (content.name === rowsContent) return putBackRows(database, catalog, file)
  const from = kindOf(name)
  if (from === database.kind) {
    await from.ownBackup?.putBack(database.setup, file)
    return
  }
  const setup = from.ownBackup?.opened?.(file)
  if (setup === undefined) throw new StartError(`This backup of ${name} goes into ${from.form} alone`)
  await copyStorage({ from: { kind: from, setup }, to: database }, catalog, unwatched)
}

/** Throws `StartError` when the database already exists. */
export async function refuseOccupied({ kind, setup }: ConfiguredDatabase): Promise<void> {
  const occupation = await kind.occupation(setup)
  if (occupation !== undefined)
    throw new StartError(
      `${occupation}: a restore goes into an empty place. Move it away, or name another place by DATA_DIR or DATABASE_URL`,
    )
}

/**
 * Throws `StartError` with one clear reason; then the place of the database is as empty as before.
 * Files come first: no record is there without its file.
 */
export async function restoreBackup(opened: OpenedBackup, order: RestoreRequest): Promise<RestoredParts> {
  const { database, folder, wanted } = order
  await refuseOccupied(database)
  const { file, secrets } = await unpackInto(opened, folder)
  const files = await restoreFiles(filesOfBackup(opened, file), order.files)
  await putBack(opened, order, file)
  return { secrets: await putBackSecrets(database, secrets, wanted), files }
}
