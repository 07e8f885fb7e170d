/**
 * The variants of an image, each made once: at its first request, for all that wait for it. They
 * are stored beside the original, under the hash of their options, and go with it.
 */
import { createHash } from 'node:crypto'
import { ApiError } from '../../errors.ts'
import { equal } from '../../resource/condition.ts'
import { formatOf, type ImageVariant, type ImageVariants } from '../../resource/fields/files/image-variant.ts'
import type { StoredFile } from '../../resource/fields/files/stored-file.ts'
import { fileFields as names } from '../../resource/made/file-table.ts'
import { folderOf, originalOf } from '../../stores/file-objects.ts'
import { type ByteRange, wholeObject } from '../../stores/object-store.ts'
import type { FileRoom } from '../file-room.ts'
import { BadPicture } from './pictures.ts'

export type VariantFacts = Pick<StoredFile, 'name' | 'type' | 'size' | 'sha256'>

export type FoundVariant = {
  readonly file: VariantFacts
  read(range: ByteRange | undefined): Promise<AsyncIterable<Buffer>>
}

export type FindVariant = (file: StoredFile, name: string, variants: ImageVariants) => Promise<FoundVariant>

/** Another number makes all variants anew. */
const way = 1
/** Objects whose facts this process remembers. */
const rememberedMax = 10_000
/** `thumb-0123456789abcdef` */
const objectPattern = /^[a-z][a-zA-Z0-9]*-[0-9a-f]{16}$/

function objectName(name: string, variant: ImageVariant): string {
  const { width, height, fit = 'inside', quality } = variant
  const options = JSON.stringify([way, width ?? null, height ?? null, fit, formatOf(variant), quality ?? null])
  return `${name}-${createHash('sha256').update(options).digest('hex').slice(0, 16)}`
}

type VariantRoom = Omit<FileRoom, 'findVariant'>

type Wanted = {
  readonly room: VariantRoom
  readonly file: StoredFile
  readonly variants: ImageVariants
  readonly variant: ImageVariant
  readonly object: string
}

/** `bytes`: of one that was made now. `problem`: why there is none. */
type Kept = {
  readonly facts?: Pick<VariantFacts, 'size' | 'sha256'>
  readonly bytes?: Buffer
  readonly problem?: string
}

/** The variants of earlier declarations go when a new one comes. */
async function removeOthers({ room, file, variants }: Wanted): Promise<void> {
  const store = await room.store()
  const folder = `${folderOf(file.id)}/`
  const own = new Set(Object.entries(variants).map(([name, one]) => objectName(name, one)))
  for (const { name } of await store.list(folder)) {
    const last = name.slice(folder.length)
    if (objectPattern.test(last) && !own.has(last)) await store.remove(name)
  }
}

/** The file may go while its variant is made: then nothing is left of both. */
async function removeIfGone({ room, file }: Wanted): Promise<void> {
  const found = await room.engine.storage.find(room.files, equal(names.id, file.id))
  if (found && found.row[names.state] !== 'going') return
  const store = await room.store()
  await store.removeAll(folderOf(file.id))
}

/** Without its place in the store the variant serves this request still. */
async function keep(wanted: Wanted, bytes: Buffer): Promise<boolean> {
  const { room, object } = wanted
  try {
    const store = await room.store()
    await store.write(object, [bytes])
    await removeIfGone(wanted)
    await removeOthers(wanted)
    return true
  } catch {
    return false
  }
}

async function makeVariant(wanted: Wanted): Promise<Kept & { readonly isStored: boolean }> {
  const { room, file, variant } = wanted
  try {
    const original = async () => wholeObject(await room.store(), originalOf(file.id))
    const bytes = await room.pictures.make(original, file.type, variant)
    return { ...keptOf(bytes), bytes, isStored: await keep(wanted, bytes) }
  } catch (error) {
    if (error instanceof BadPicture) return { problem: error.message, isStored: true }
    throw error
  }
}

function keptOf(bytes: Buffer): Required<Pick<Kept, 'facts'>> {
  return { facts: { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') } }
}

/** `front.jpg` → `front.webp` */
function nameOf({ name }: StoredFile, type: string): string {
  return `${name.replace(/\.[^.]{1,10}$/, '')}.${type.slice('image/'.length)}`
}

async function* once(bytes: Buffer, { first, last }: ByteRange) {
  yield bytes.subarray(first, last + 1)
}

export function makeFindVariant(room: VariantRoom): FindVariant {
  const known = new Map<string, Kept>()
  const making = new Map<string, Promise<Kept>>()

  function remember(object: string, kept: Kept): void {
    known.delete(object)
    known.set(object, kept)
    const [oldest] = known.size > rememberedMax ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
  }

  async function stored(wanted: Wanted): Promise<Kept> {
    const store = await room.store()
    const bytes = await wholeObject(store, wanted.object).catch(() => undefined)
    const { isStored, ...kept } = bytes ? { ...keptOf(bytes), bytes, isStored: true } : await makeVariant(wanted)
    const { bytes: _, ...facts } = kept
    if (isStored) remember(wanted.object, facts)
    return kept
  }

  function find(wanted: Wanted): Promise<Kept> | Kept {
    const { object } = wanted
    const found = known.get(object)
    if (found) return found
    const work = making.get(object) ?? stored(wanted).finally(() => making.delete(object))
    making.set(object, work)
    return work
  }

  async function bytesOf(wanted: Wanted, range: ByteRange): Promise<AsyncIterable<Buffer>> {
    const store = await room.store()
    return store.read(wanted.object, range).catch(async () => {
      known.delete(wanted.object) // another process has removed it
      const { bytes } = await find(wanted)
      if (!bytes) throw new Error(`${wanted.object} is gone`)
      return once(bytes, range)
    })
  }

  return async (file, name, variants) => {
    const variant = variants[name] as ImageVariant
    const object = `${folderOf(file.id)}/${objectName(name, variant)}`
    const wanted = { room, file, variants, variant, object }
    const { facts, bytes, problem } = await find(wanted)
    if (!facts) throw new ApiError('not-found', `There is no ${name} of this picture: ${problem}`)
    const type = `image/${formatOf(variant)}`
    return {
      file: { name: nameOf(file, type), type, ...facts },
      async read(asked) {
        const range = asked ?? { first: 0, last: facts.size - 1 }
        return bytes ? once(bytes, range) : bytesOf(wanted, range)
      },
    }
  }
}
