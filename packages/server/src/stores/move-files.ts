/**
 * Copies files from one store into another while servers use both. A copy is read back and compared
 * before its checksum is put beside it. So a checksum says that the copy is good, and a later run
 * leaves that file alone.
 */
import { createHash } from 'node:crypto'
import { StartError } from '../errors.ts'
import {
  checksumOf,
  checksumText,
  type FileBytes,
  filesFolder,
  folderOf,
  originalOf,
  readFileBytes,
} from './file-objects.ts'
import type { ObjectStore } from './object-store.ts'
import { passOn } from './pass-on.ts'

const atOnce = 4

/** `isWhole`: all bytes are there. Of the others the parts are copied that have come. */
export type MovingFile = FileBytes & { readonly isWhole: boolean }

export type FileMove = {
  readonly from: ObjectStore
  readonly to: ObjectStore
  readonly stop: AbortSignal
  /** Called for each file, also for one that was there. */
  moved(file: MovingFile): void
}

export type MovedFiles = {
  /** Those that are in `to`. */
  count: number
  bytes: number
  copied: number
  /** Those whose bytes neither store has as their row says, and why. */
  readonly lacking: { readonly id: string; readonly why: string }[]
}

/** Name → bytes. */
type Objects = ReadonlyMap<string, number>

type MovingFolder = FileMove & { readonly here: Objects; readonly there: Objects }

async function listIn(store: ObjectStore, digits: string): Promise<Objects> {
  const found = await store.list(`${filesFolder}${digits}/`)
  return new Map(found.map(({ name, bytes }) => [name, bytes]))
}

async function* stoppable(chunks: AsyncIterable<Buffer>, stop: AbortSignal): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    stop.throwIfAborted()
    yield chunk
  }
}

async function sha256Of(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

/** Copies one object, and reads it back. Throws `StartError` where the copy differs. */
async function copyObject({ from, to, stop }: FileMove, name: string): Promise<void> {
  const hash = createHash('sha256')
  async function* hashed() {
    for await (const chunk of stoppable(await from.read(name), stop)) {
      hash.update(chunk)
      yield chunk
    }
  }
  await to.write(name, hashed())
  if ((await sha256Of(await to.read(name))) === hash.digest('hex')) return
  throw new StartError(`${name} in ${to.name} is not as it was written: run the command again`)
}

/** Returns why the bytes cannot be read, if so. Throws what the new store throws. */
async function copyWhole({ from, to, stop, there }: MovingFolder, file: MovingFile): Promise<Error | undefined> {
  const original = originalOf(file.id)
  if (there.get(original) !== file.size) {
    const unread = await passOn(stoppable(readFileBytes(from, file), stop), (chunks) => to.write(original, chunks))
    stop.throwIfAborted()
    if (unread) return unread
  }
  for await (const _chunk of stoppable(readFileBytes(to, file), stop));
  await to.putBytes(checksumOf(file.id), checksumText(file.sha256))
  return undefined
}

/** The parts of an upload that has not ended. They never change; new ones go to the new store. */
async function copyParts(folder: MovingFolder, { id }: MovingFile): Promise<boolean> {
  const { here, there } = folder
  const missing = [...here].filter(([name, bytes]) => name.startsWith(`${folderOf(id)}/`) && there.get(name) !== bytes)
  for (const [name] of missing) await copyObject(folder, name)
  return missing.length > 0
}

async function moveOne(folder: MovingFolder, file: MovingFile, moved: MovedFiles): Promise<void> {
  folder.stop.throwIfAborted()
  const { there } = folder
  const { id, size, isWhole } = file
  if (!isWhole) {
    if (await copyParts(folder, file)) moved.copied += 1
    return
  }
  const isThere = there.get(originalOf(id)) === size && there.has(checksumOf(id))
  const unread = isThere ? undefined : await copyWhole(folder, file)
  if (unread) return void moved.lacking.push({ id, why: unread.message })
  if (!isThere) moved.copied += 1
  moved.count += 1
  moved.bytes += size
}

/** Copies what is missing. Throws what the stores throw; the next run goes on from there. */
export async function moveFiles(files: readonly MovingFile[], move: FileMove): Promise<MovedFiles> {
  const moved: MovedFiles = { count: 0, bytes: 0, copied: 0, lacking: [] }
  const byDigits = Map.groupBy(files, ({ id }) => id.slice(0, 2))
  for (const [digits, group] of byDigits) {
    const [here, there] = await Promise.all([listIn(move.from, digits), listIn(move.to, digits)])
    const left = group.values()
    const work = async () => {
      for (const file of left) {
        await moveOne({ ...move, here, there }, file, moved)
        move.moved(file)
      }
    }
    // All end before one's error does, so that nothing is written after the command.
    const ended = await Promise.allSettled(Array.from({ length: atOnce }, work))
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }
  return moved
}
