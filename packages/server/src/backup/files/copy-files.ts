/**
 * Copies the files of a captured database beside its backup. Each file is copied once for all
 * backups in the place, and compared with the SHA-256 of its row.
 */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type KeptFile, keptFilesInLines } from '../../storage/copy/kept-files.ts'
import { filesFolder, listByDigits, readFileBytes } from '../../stores/file-objects.ts'
import type { ObjectStore } from '../../stores/object-store.ts'
import { passOn } from '../../stores/pass-on.ts'
import { kindOf } from '../backup-work.ts'
import { pack } from '../pack.ts'
import { linesIn, rowsContent } from '../rows-backup.ts'
import { copiesFolder, copyName } from './copy-names.ts'
import { bringEach, type LackingFile } from './each-file.ts'
import { untilUnmarked, whileMarked } from './place-marks.ts'

export type FileCopying = {
  /** The place of the backup. */
  readonly place: ObjectStore
  /** The store of files. */
  openFiles(): Promise<ObjectStore>
  /** Public keys of age. */
  readonly to: readonly string[]
  readonly idleShare: number
  readonly stop?: AbortSignal | undefined
}

export type FileCopies = {
  readonly count: number
  readonly bytes: number
  /** How many of them were copied now. */
  readonly copied: number
  /** How many files of records have no copy. */
  readonly lacking: number
  /** The first of these. */
  readonly lackingFirst: readonly LackingFile[]
  /** A local file with a line for each file; empty where there are none. */
  readonly list: string
}

/** The content of a backup: the kind of its database, the name within, and the local file. */
export type BackupContent = { readonly database: string; readonly name: string; readonly file: string }

const pauseMsMax = 100

/** The files whose bytes belong to the database in the file, by id. */
export async function* keptFilesIn({ database, name, file }: BackupContent): AsyncGenerator<KeptFile> {
  if (name === rowsContent) return yield* keptFilesInLines(linesIn(file))
  const own = kindOf(database).ownBackup
  if (own) yield* own.keptFiles(file)
}

async function* stoppable(chunks: AsyncIterable<Buffer>, stop: AbortSignal | undefined): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    stop?.throwIfAborted()
    yield chunk
  }
}

/** Returns why the file cannot be read, if so. Throws what the place throws. */
async function copyOne(files: ObjectStore, file: KeptFile, copying: FileCopying): Promise<'copied' | Error> {
  const { place, to, stop, idleShare } = copying
  const sinceMs = performance.now()
  const source = stoppable(readFileBytes(files, file), stop)
  const unread = await passOn(source, async (chunks) =>
    place.write(copyName(file.id, to), to.length > 0 ? await pack(chunks, to) : chunks),
  )
  stop?.throwIfAborted()
  if (unread) return unread
  await sleep(Math.min(pauseMsMax, ((performance.now() - sinceMs) * idleShare) / (1 - idleShare)))
  return 'copied'
}

async function copyAll(kept: AsyncIterable<KeptFile>, list: string, copying: FileCopying): Promise<FileCopies> {
  const { place, to, stop, openFiles } = copying
  const files = await openFiles()
  await files.list(`${filesFolder}00/`) // a store that cannot be reached fails the backup
  const there = listByDigits(place, copiesFolder)
  const written = await open(list, 'wx', 0o600)
  try {
    const { missing, missingFirst, ...found } = await bringEach(kept, async (file) => {
      stop?.throwIfAborted()
      const { id, size, sha256 } = file
      const bytes = (await there(id)).get(copyName(id, to))
      const isCopied = bytes !== undefined && (to.length > 0 || bytes === size)
      const brought = isCopied ? 'there' : await copyOne(files, file, copying)
      if (!(brought instanceof Error)) await written.write(`${JSON.stringify({ id, size, sha256 })}\n`)
      return brought
    })
    await written.sync()
    return { ...found, lacking: missing, lackingFirst: missingFirst, list }
  } finally {
    await written.close()
  }
}

/**
 * Copies the files, and does the rest of a backup while none of the copies is pruned. Nothing is
 * opened or written where the database has no files.
 */
export async function withFileCopies<T>(
  content: BackupContent & { readonly folder: string },
  copying: FileCopying,
  work: (copies: FileCopies | undefined) => Promise<T>,
): Promise<T> {
  const kept = keptFilesIn(content)
  try {
    const first = await kept.next()
    if (first.done) return await work(undefined)
    const all = async function* () {
      yield first.value
      yield* kept
    }
    return await whileMarked(copying.place, 'copying', async () => {
      await untilUnmarked(copying.place, 'pruning', copying.stop)
      return work(await copyAll(all(), join(content.folder, 'files.ndjson'), copying))
    })
  } finally {
    await kept.return(undefined) // it holds the local file open
  }
}
