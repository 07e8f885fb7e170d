/**
 * Brings files back from their copies beside a backup, before the records that have them. A file
 * that the store of files has already is left as it is.
 */
import { StartError } from '../../errors.ts'
import type { KeptFile } from '../../storage/copy/kept-files.ts'
import { filesFolder, listByDigits, originalOf, verified, writeFileBytes } from '../../stores/file-objects.ts'
import type { ObjectStore } from '../../stores/object-store.ts'
import { unpack } from '../pack.ts'
import type { LackingFile } from './copy-files.ts'
import { copiesFolder, idOfCopy } from './copy-names.ts'

export type FileRestore = {
  /** The place of the backup. */
  readonly place: ObjectStore
  /** The store of files. */
  openFiles(): Promise<ObjectStore>
  /** Secret keys of age. */
  readonly identities: readonly string[]
  /** Whether records may come back without their files. */
  readonly allowMissing: boolean
}

export type RestoredFiles = {
  readonly count: number
  readonly bytes: number
  /** How many came from copies; the others were there. */
  readonly copied: number
  /** How many files of records are neither there nor among the copies. */
  readonly missing: number
  readonly missingFirst: readonly LackingFile[]
}

const missingShown = 20

/** Finds the copies of a file: those for other recipients too. */
function copiesIn(place: ObjectStore) {
  const list = listByDigits(place, copiesFolder)
  return async ({ id }: KeptFile) => {
    const names = [...(await list(id)).keys()].filter((name) => idOfCopy(name) === id)
    return { id, names }
  }
}

async function open(place: ObjectStore, name: string, identities: readonly string[]): Promise<AsyncIterable<Buffer>> {
  const chunks = await place.read(name)
  return name.endsWith('.age') ? unpack(chunks, identities) : chunks
}

/** Gives the bytes of the first copy that can be read to `take`. Throws `StartError`. */
async function fromCopy(
  { place, identities }: Pick<FileRestore, 'place' | 'identities'>,
  { id, names }: { readonly id: string; readonly names: readonly string[] },
  take: (chunks: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  let met: unknown = new StartError(`The file ${id} has no copy in ${place.name}`)
  for (const name of names) {
    try {
      return await take(await open(place, name, identities))
    } catch (error) {
      met = error
    }
  }
  throw met
}

function refuseMissing({ missing, missingFirst }: RestoredFiles, place: ObjectStore): void {
  const [first] = missingFirst
  if (!first) return
  throw new StartError(
    `${missing} files of the backup cannot be brought back. ${first.why}. Put ${copiesFolder} of its place beside it in ${place.name}; --allow-missing-files restores the records without them`,
  )
}

type EachFile = (file: KeptFile) => Promise<'copied' | 'there'>

async function forEachFile(kept: AsyncIterable<KeptFile>, bring: EachFile): Promise<RestoredFiles> {
  let [count, bytes, copied, missing] = [0, 0, 0, 0]
  const missingFirst: LackingFile[] = []
  for await (const file of kept) {
    try {
      if ((await bring(file)) === 'copied') copied += 1
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      if (file.isWaiting) continue // it may be gone since, and nothing names it
      missing += 1
      if (missingFirst.length < missingShown) missingFirst.push({ id: file.id, why: error.message })
      continue
    }
    count += 1
    bytes += file.size
  }
  return { count, bytes, copied, missing, missingFirst }
}

/** Throws `StartError` where a file cannot be brought back, unless files may be missing. */
export async function restoreFiles(kept: AsyncIterable<KeptFile>, restoring: FileRestore): Promise<RestoredFiles> {
  const { place, openFiles, allowMissing } = restoring
  let files: ObjectStore | undefined
  let inStore: ReturnType<typeof listByDigits> | undefined
  const copiesOf = copiesIn(place)
  const found = await forEachFile(kept, async (file) => {
    files ??= await openFiles()
    inStore ??= listByDigits(files, filesFolder)
    if ((await inStore(file.id)).get(originalOf(file.id)) === file.size) return 'there'
    const store = files
    await fromCopy(restoring, await copiesOf(file), (chunks) => writeFileBytes(store, file, chunks))
    return 'copied'
  })
  if (!allowMissing) refuseMissing(found, place)
  return found
}

/** Reads every copy, and compares it with the SHA-256 of its row. Throws `StartError`. */
export async function checkCopies(
  kept: AsyncIterable<KeptFile>,
  restoring: Pick<FileRestore, 'place' | 'identities'>,
): Promise<RestoredFiles> {
  const copiesOf = copiesIn(restoring.place)
  const found = await forEachFile(kept, async (file) => {
    await fromCopy(restoring, await copiesOf(file), async (chunks) => {
      for await (const _chunk of verified(chunks, file));
    })
    return 'there'
  })
  refuseMissing(found, restoring.place)
  return found
}
