/**
 * The two long parts of a backup, capturing the database and packing it. They take plain data, so
 * that a worker thread can run them.
 */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { StartError } from '../errors.ts'
import { secretFile } from '../storage/database-kind.ts'
import type { CapturedBackup } from '../storage/native-backup.ts'
import { databaseKinds } from '../storage/open.ts'
import { entriesOf, type SavedSecrets } from './drawn-secrets.ts'
import { type Manifest, manifestBytesMax, manifestName, parseManifest, printManifest } from './manifest.ts'
import { pack, unpack } from './pack.ts'
import { readTar, type TarEntry, textOf, writeTar } from './tar.ts'

export type CaptureJob = {
  readonly part: 'capture'
  readonly kind: string
  readonly setup: unknown
  readonly folder: string
  readonly idleShare: number
}
export type PackJob = {
  readonly part: 'pack'
  readonly folder: string
  readonly captured: CapturedBackup
  readonly bindery: string
  readonly database: string
  readonly secrets: SavedSecrets
  readonly to: readonly string[]
  readonly files?: Manifest['files'] | undefined
}
export type PackedBackup = { readonly file: string; readonly bytes: number; readonly manifest: Manifest }

export function kindOf(name: string) {
  const kind = databaseKinds.find((one) => one.name === name)
  if (!kind) throw new StartError(`This version of Bindery does not know the database of this backup, ${name}`)
  return kind
}

export async function captureNative(job: CaptureJob, stop?: AbortSignal): Promise<CapturedBackup> {
  const own = kindOf(job.kind).ownBackup
  if (!own) throw new Error(`${job.kind} has no backup of its own`)
  return own.capture(job.setup, { folder: job.folder, idleShare: job.idleShare, stop })
}

const readBytes = 1 << 20

function bytesOf(file: string): AsyncIterable<Buffer> {
  return createReadStream(file, { highWaterMark: readBytes }) as AsyncIterable<Buffer>
}

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

/** SHA-256 as hex. */
async function sumOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

async function* only(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

function entryOf(name: string, text: string): TarEntry {
  return { name, bytes: Buffer.byteLength(text), body: only(text) }
}

/**
 * Reads all of the archive as `readTar` would. Throws `StartError` unless the content has the
 * checksum of the manifest.
 */
async function checkUnpacked(chunks: AsyncIterable<Buffer>): Promise<void> {
  let manifest: Manifest | undefined
  let sum: string | undefined
  for await (const entry of readTar(chunks)) {
    const { name, body } = entry
    if (name === manifestName) manifest = parseManifest(await textOf(entry, manifestBytesMax))
    else if (name === manifest?.content.name) sum = await sumOf(body)
    else for await (const _rest of body);
  }
  if (manifest === undefined || sum !== manifest.content.sha256)
    throw new StartError('The backup is not as it was written: is the disk damaged?')
}

/**
 * Bytes written between two calls of fsync: syncing all at once would delay other commits on that
 * disk.
 */
const unsyncedBytesMax = 8 << 20

async function writeSynced(target: FileHandle, chunks: AsyncIterable<Buffer>): Promise<void> {
  let unsynced = 0
  for await (const chunk of chunks) {
    await target.writeFile(chunk)
    unsynced += chunk.length
    if (unsynced < unsyncedBytesMax) continue
    await target.datasync()
    unsynced = 0
  }
  await target.sync()
}

/**
 * Writes the file of a backup into the folder, and verifies it. An encrypted one is compared as it
 * is; any other is unpacked. Throws `StartError`.
 */
export async function packBackup(job: PackJob, stop?: AbortSignal): Promise<PackedBackup> {
  const { folder, captured, secrets, to, files } = job
  const source = join(folder, captured.file)
  const { size: bytes } = statSync(source)
  const content = { name: captured.file, bytes, sha256: await sumOf(bytesOf(source)) }
  const { at, schema, tables } = captured
  const { bindery, database } = job
  const within = { secret: secrets['jwt secret'] !== undefined, key: secrets['jwt key'] !== undefined }
  const text = printManifest({ bindery, at, database, schema, content, ...within, ...(files && { files }), tables })
  const entries = [
    entryOf(manifestName, text),
    ...entriesOf(secrets).map(([name, secret]) => entryOf(secretFile(name), secret)),
    { name: content.name, bytes, body: bytesOf(source) },
  ]
  const file = join(folder, 'packed')
  const written = createHash('sha256')
  const packed = await pack(writeTar(entries, Date.parse(at)), to)
  const target = await open(file, 'wx', 0o600)
  try {
    await pipeline(hashed(packed, written), (chunks) => writeSynced(target, chunks), { signal: stop })
  } finally {
    await target.close()
  }
  if ((await sumOf(bytesOf(file))) !== written.digest('hex'))
    throw new StartError('The backup is not as it was written: is the disk damaged?')
  if (to.length === 0) await checkUnpacked(await unpack(bytesOf(file), []))
  return { file, bytes: statSync(file).size, manifest: parseManifest(text) }
}
