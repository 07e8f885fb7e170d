/**
 * Makes one file of the pieces of an upload, judged as the body of a plain upload is. Each step can
 * be done again: by the next request, after a kill, and by two instances at once.
 */
import { ApiError, isRefusal, StartError } from '../../errors.ts'
import { equal } from '../../resource/condition.ts'
import { fileFields as names } from '../../resource/made/file-table.ts'
import { checksumOf, chunkPlaceOf, chunksFolderOf, folderOf } from '../../stores/file-objects.ts'
import type { ObjectStore } from '../../stores/object-store.ts'
import type { FileRoom } from '../file-room.ts'
import { type JudgedUpload, judgeStored, storeBytes } from '../uploads/store-bytes.ts'
import { expireUpload, type FoundFacts, finishUpload } from '../uploads/upload-rows.ts'

/** The pieces that count, in their order: of each offset the one of the last turn. */
async function chunkNames(store: ObjectStore, id: string, size: number): Promise<readonly string[]> {
  const found = await store.list(`${chunksFolderOf(id)}/`)
  const last = new Map(found.map((one) => [chunkPlaceOf(one.name).offset, one]))
  const chosen: string[] = []
  let at = 0
  while (at < size) {
    const { name, bytes } = last.get(at) ?? { name: '', bytes: 0 }
    if (bytes === 0) throw new StartError(`The upload ${id} lacks its bytes from ${at} on`)
    chosen.push(name)
    at += bytes
  }
  if (at !== size) throw new StartError(`The upload ${id} has ${at} bytes instead of ${size}`)
  return chosen
}

async function* bytesOfChunks(store: ObjectStore, chunks: readonly string[]): AsyncGenerator<Buffer> {
  for (const name of chunks) yield* await store.read(name)
}

/** The checksum is written last. */
async function isStored(store: ObjectStore, id: string): Promise<boolean> {
  return (await store.list(checksumOf(id))).length > 0
}

async function judged(room: FileRoom, upload: ArrivedUpload): Promise<FoundFacts> {
  const { id, size } = upload
  const store = await room.store()
  if (await isStored(store, id)) return judgeStored(room, upload)
  try {
    return await storeBytes(room, upload, bytesOfChunks(store, await chunkNames(store, id, size)))
  } catch (error) {
    // Another instance has done it meanwhile, and has removed the pieces.
    if (error instanceof ApiError || !(await isStored(store, id))) throw error
    return judgeStored(room, upload)
  }
}

async function isReady({ engine, files }: FileRoom, id: string): Promise<boolean> {
  const found = await engine.storage.find(files, equal(names.id, id))
  return ['ready', 'attached'].includes(String(found?.row[names.state]))
}

export type ArrivedUpload = JudgedUpload & { readonly size: number }

/**
 * Throws what a plain upload throws for such bytes; the upload is then due. A server that is busy
 * ends no upload: the next request finishes it.
 */
export async function finishChunks(room: FileRoom, upload: ArrivedUpload): Promise<void> {
  const { id } = upload
  const store = await room.store()
  try {
    const facts = await judged(room, upload)
    await store.removeAll(chunksFolderOf(id))
    await finishUpload(room, id, facts)
  } catch (error) {
    if (await isReady(room, id)) return
    if (!isRefusal(error)) throw error
    await expireUpload(room, id)
    if (error.code === 'conflict') await store.removeAll(folderOf(id)) // the sweep has been here
    throw error
  }
}
