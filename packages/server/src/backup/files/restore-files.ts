/**
 * Brings files back from their copies beside a backup, before the records that have them. A file
 * that the store of files has already is left as it is.
 */
import { loadOnce } from '../../base/optional-package.ts'
import { StartError } from '../../errors.ts'
import type { KeptFile } from '../../storage/copy/kept-files.ts'
import { filesFolder, listByDigits, originalOf, verified, writeFileBytes } from '../../stores/file-objects.ts'
import type { ObjectStore } from '../../stores/object-store.ts'
import { passOn } from '../../stores/pass-on.ts'
import { unpack } from '../pack.ts'
import { copiesFolder, idOfCopy } from './copy-names.ts'
import { type BroughtFiles, bringEach } from './each-file.ts'

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

/** Finds the names of the copies of a file: those for other recipients too. */
function copiesIn(place: ObjectStore) {
  const list = listByDigits(place, copiesFolder)
  return async ({ id }: KeptFile) => {
    return [...(await list(id)).keys()].filter((name) => idOfCopy(name) === id)
  }
}

type CopyPlace = Pick<FileRestore, 'place' | 'identities'>

async function* readCopy({ place, identities }: CopyPlace, name: string, file: KeptFile): AsyncGenerator<Buffer> {
  const chunks = await place.read(name)
  yield* verified(name.endsWith('.age') ? await unpack(chunks, identities) : chunks, file)
}

/**
 * Gives the bytes of the first copy that can be read to `take`. Returns why there is none, if so.
 * Throws what `take` throws otherwise.
 */
async function fromCopy(
  from: CopyPlace & { readonly names: readonly string[] },
  file: KeptFile,
  take: (chunks: AsyncIterable<Buffer>) => Promise<void>,
): Promise<Error | undefined> {
  let unread: Error | undefined = new StartError(`The file ${file.id} has no copy in ${from.place.name}`)
  for (const name of from.names) {
    unread = await passOn(readCopy(from, name, file), take)
    if (!unread) break
  }
  return unread
}

function refuseMissing({ missing, missingFirst }: BroughtFiles, place: ObjectStore): void {
  const [first] = missingFirst
  if (!first) return
  throw new StartError(
    `${missing} files of the backup cannot be brought back. ${first.why}. Put ${copiesFolder} of its place beside it in ${place.name}; --allow-missing-files restores the records without them`,
  )
}

/** Throws `StartError` where a file cannot be brought back, unless files may be missing. */
export async function restoreFiles(kept: AsyncIterable<KeptFile>, restoring: FileRestore): Promise<BroughtFiles> {
  const { place, openFiles, allowMissing } = restoring
  const open = loadOnce(async () => {
    const files = await openFiles()
    return { files, there: listByDigits(files, filesFolder) }
  })
  const namesOf = copiesIn(place)
  const found = await bringEach(kept, async (file) => {
    const { files, there } = await open()
    if ((await there(file.id)).get(originalOf(file.id)) === file.size) return 'there'
    const from = { ...restoring, names: await namesOf(file) }
    return (await fromCopy(from, file, (chunks) => writeFileBytes(files, file, chunks))) ?? 'copied'
  })
  if (!allowMissing) refuseMissing(found, place)
  return found
}

/** Reads every copy, and compares it with the SHA-256 of its row. Throws `StartError`. */
export async function checkCopies(kept: AsyncIterable<KeptFile>, from: CopyPlace): Promise<BroughtFiles> {
  const namesOf = copiesIn(from.place)
  const found = await bringEach(kept, async (file) => {
    const unread = await fromCopy({ ...from, names: await namesOf(file) }, file, async (chunks) => {
      for await (const _chunk of chunks);
    })
    return unread ?? 'there'
  })
  refuseMissing(found, from.place)
  return found
}
