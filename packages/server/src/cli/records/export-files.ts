/**
 * The bytes of files beside an export of a whole database. `all.ndjson.gz` has them in the folder
 * `all.ndjson.gz.files`, with the names of a store of files.
 */
import { existsSync } from 'node:fs'
import { bringEach } from '../../backup/files/each-file.ts'
import { printBytes } from '../../base/print-bytes.ts'
import type { Config } from '../../config.ts'
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import type { CopySource } from '../../storage/copy/copy-tables.ts'
import type { KeptFile } from '../../storage/copy/kept-files.ts'
import { whileFilesHeld } from '../../storage/held-files.ts'
import {
  checksumOf,
  filesFolder,
  idOfObject,
  listByDigits,
  originalOf,
  readFileBytes,
  sha256In,
  writeFileBytes,
} from '../../stores/file-objects.ts'
import { type ObjectStore, openObjectStore, wholeObject } from '../../stores/object-store.ts'
import { passOn } from '../../stores/pass-on.ts'
import type { CommandContext } from '../console.ts'
import { openFilesStore } from '../database/files-store.ts'
import { isStandard } from '../lines/format.ts'

export type BesideFiles = {
  readonly folder: string
  readonly count: number
  readonly bytes: number
  /** Why the bytes of a file are not there, for the first of these. */
  readonly missing: readonly string[]
}

const besideOf = (file: string) => `${file}.files`

function openBeside(folder: string): Promise<ObjectStore> {
  return openObjectStore({ folder }, () => {
    throw new Error('a folder sends no request')
  })
}

/** Copies files between two stores. A file that is there already with its size stays. */
async function bringFiles(
  kept: readonly KeptFile[],
  { from, to }: { readonly from: ObjectStore; readonly to: ObjectStore },
): Promise<Omit<BesideFiles, 'folder'>> {
  const there = listByDigits(to, filesFolder)
  const { count, bytes, missingFirst } = await bringEach(kept, async (file) => {
    if ((await there(file.id)).get(originalOf(file.id)) === file.size) return 'there'
    return (await passOn(readFileBytes(from, file), (chunks) => writeFileBytes(to, file, chunks))) ?? 'copied'
  })
  return { count, bytes, missing: missingFirst.map(({ why }) => why) }
}

/** The files of one snapshot whose bytes belong to it. */
export async function listKept(source: CopySource, catalog: Catalog): Promise<readonly KeptFile[]> {
  if (!catalog.files) return []
  const { fileRowsOf } = await import('../../storage/copy/kept-files.ts')
  const rows = await Array.fromAsync(fileRowsOf(source, catalog))
  return rows.filter(({ isKept }) => isKept).map((row) => ({ ...row, isWaiting: row.state === 'ready' }))
}

/** Exports while the sweep leaves files alone, where the application has files. */
export function exportingFiles<T>({ database }: Config, catalog: Catalog, work: () => Promise<T>): Promise<T> {
  return catalog.files ? whileFilesHeld(database, work) : work()
}

/** Undefined where the export has no files. Standard output has lines alone. */
export async function exportFiles(
  config: Config,
  file: string | undefined,
  kept: readonly KeptFile[],
): Promise<BesideFiles | undefined> {
  if (kept.length === 0 || isStandard(file)) return undefined
  const folder = besideOf(file)
  const [from, to] = [await openFilesStore(config), await openBeside(folder)]
  return { folder, ...(await bringFiles(kept, { from, to })) }
}

/**
 * Brings the files of the lines into the store, before the records. Throws `StartError` where one
 * is missing or damaged.
 */
export async function importFiles(config: Config, file: string): Promise<BesideFiles | undefined> {
  const folder = besideOf(file)
  if (isStandard(file) || !existsSync(folder)) return undefined
  const from = await openBeside(folder)
  const to = await openFilesStore(config)
  const kept: KeptFile[] = []
  for (const { name, bytes: size } of await from.list(filesFolder)) {
    const id = idOfObject(name)
    if (name !== originalOf(id)) continue
    kept.push({ id, size, sha256: sha256In(await wholeObject(from, checksumOf(id))), isWaiting: false })
  }
  const brought = await bringFiles(kept, { from, to })
  if (brought.missing.length > 0) throw new StartError(`${brought.missing.join('. ')}. Nothing was imported`)
  return { folder, ...brought }
}

/** Says where the bytes of files are, or that they are not there. */
export function noteBeside({ output }: CommandContext, beside: BesideFiles | undefined): void {
  if (!beside) return
  output.note(`${beside.count} files of records, ${printBytes(beside.bytes)}: their bytes are in ${beside.folder}`)
  for (const why of beside.missing) output.note(`Missing: ${why}`)
}
