/**
 * The names of the objects of a file in a store of files. Each file has a folder under two digits
 * of its id.
 */
import { createHash } from 'node:crypto'
import { StartError } from '../errors.ts'
import type { ObjectStore } from './object-store.ts'

/** The folder of all files in their store. */
export const filesFolder = 'files/'

/** The folder of one file in the store: its bytes, their checksum, and what is made of them. */
export function folderOf(id: string): string {
  return `${filesFolder}${id.slice(0, 2)}/${id}`
}

const originalName = 'original'
const checksumName = `${originalName}.sha256`

export function originalOf(id: string): string {
  return `${folderOf(id)}/${originalName}`
}

/** The object beside the bytes, as `sha256sum -c` reads it. */
export function checksumOf(id: string): string {
  return `${folderOf(id)}/${checksumName}`
}

export function checksumText(sha256: string): Buffer {
  return Buffer.from(`${sha256}  ${originalName}\n`)
}

/** The SHA-256 in the text of a checksum. */
export function sha256In(text: Buffer): string {
  return text.toString('latin1', 0, 64)
}

/** The id of the file to which an object in the store belongs. */
export function idOfObject(name: string): string {
  return name.slice(filesFolder.length).split('/')[1] ?? ''
}

/** The bytes that a client sends to the place itself, until they are judged. */
export function sentOf(id: string): string {
  return `${folderOf(id)}/sent`
}

/** The folder of the pieces of an upload that comes in pieces. */
export function chunksFolderOf(id: string): string {
  return `${folderOf(id)}/chunks`
}

/** `turn`: the count of the request that brings the piece. Names are in the order of offsets. */
export type ChunkPlace = { readonly offset: number; readonly turn: number }

/** `…/chunks/0000000065536-00002` */
export function chunkOf(id: string, { offset, turn }: ChunkPlace): string {
  return `${chunksFolderOf(id)}/${String(offset).padStart(13, '0')}-${String(turn).padStart(5, '0')}`
}

/** The place in the name of a piece. */
export function chunkPlaceOf(name: string): ChunkPlace {
  const [, offset, turn] = /(\d{13})-(\d{5})$/.exec(name) ?? []
  return { offset: Number(offset), turn: Number(turn) }
}

/** The bytes that a row says. */
export type FileBytes = { readonly id: string; readonly size: number; readonly sha256: string }

/** The same bytes. Throws `StartError` at their end unless they are those of the file. */
export async function* verified(
  chunks: AsyncIterable<Buffer>,
  { id, size, sha256 }: FileBytes,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    hash.update(chunk)
    bytes += chunk.length
    yield chunk
  }
  if (bytes !== size) throw new StartError(`The file ${id} has ${bytes} bytes, and its row says ${size}`)
  if (hash.digest('hex') !== sha256) throw new StartError(`The file ${id} has not the SHA-256 of its row`)
}

/** The bytes of a file in the store. Throws `StartError` unless they are those of its row. */
export async function* readFileBytes(store: ObjectStore, file: FileBytes): AsyncGenerator<Buffer> {
  yield* verified(await store.read(originalOf(file.id)), file)
}

/** Stores the bytes of a file with their checksum, which may be known at their end only. */
export async function writeFileBytes(
  store: ObjectStore,
  { id, sha256 }: { readonly id: string; readonly sha256: string | (() => string) },
  bytes: AsyncIterable<Buffer>,
): Promise<void> {
  const known = () => (typeof sha256 === 'string' ? sha256 : sha256())
  await store.write(originalOf(id), bytes, () => ({ name: checksumName, bytes: checksumText(known()) }))
}

/**
 * Lists the objects under the two digits of an id, each such folder once where ids come in their
 * order: name → bytes.
 */
export function listByDigits(store: ObjectStore, folder: string) {
  let digits = ''
  let found: ReadonlyMap<string, number> = new Map()
  return async (id: string): Promise<ReadonlyMap<string, number>> => {
    if (id.slice(0, 2) === digits) return found
    digits = id.slice(0, 2)
    found = new Map((await store.list(`${folder}${digits}/`)).map(({ name, bytes }) => [name, bytes]))
    return found
  }
}
