/** Writes a whole database as one export file, from one snapshot. */

import { jsonText } from '../../base/json-text.ts'
import type { Catalog } from '../../resource/catalog.ts'
import type { ModelTable } from '../model/model.ts'
import { makeTableChecksum } from './copy-rows.ts'
import type { CopyListener, CopySource } from './copy-tables.ts'
import {
  type FileChecksum,
  type FileResource,
  fingerprintOf,
  printHead,
  type TableInFile,
  tableInFile,
} from './file-head.ts'

type WriteFileOptions = {
  readonly catalog: Catalog
  readonly secrets: boolean
  /** Whether every value has been checked already. */
  readonly takesAll?: boolean
  readonly writtenAt: string
  write(text: string): Promise<void>
  readonly watch: Pick<CopyListener, 'began' | 'copied' | 'stop'>
}

/**
 * A text that may have lost bytes: Bindery stores no such text, or the replacement character in it
 * may stand for damaged bytes.
 */
export class AmbiguousValueError extends Error {}

/**
 * Bindery stores no NUL character. SQLite returns U+FFFD for bytes that are no text, and callers
 * may write that character too.
 */
function isUnsure(value: unknown): boolean {
  return typeof value === 'string' && (value.includes('\0') || value.includes('\ufffd'))
}

type WrittenTable = { readonly table: ModelTable; readonly inFile: TableInFile }

async function writeTable(
  source: CopySource,
  { table, inFile: { name: resource, columns } }: WrittenTable,
  writing: WriteFileOptions,
): Promise<FileChecksum> {
  const places = columns.map((column) => table.columns.findIndex(({ name }) => name === column))
  const sum = makeTableChecksum()
  for await (const { rows } of source.batches(table)) {
    if (!writing.takesAll && rows.some((row) => row.some(isUnsure)))
      throw new AmbiguousValueError(`${table.name} has a text that cannot be read as it was written`)
    const texts = rows.map((row) => jsonText(places.map((place) => row[place])))
    await writing.write(`${texts.join('\n')}\n`)
    sum.add({ texts })
    writing.watch.copied(rows.length)
    writing.watch.stop.throwIfAborted()
  }
  const { rows, checksum } = sum.end()
  const written = { resource, rows, sha256: checksum }
  await writing.write(`${JSON.stringify(written)}\n`)
  return written
}

/** Returns the rows written for each resource. Throws the error that ended the work. */
export async function writeDatabase(source: CopySource, writing: WriteFileOptions): Promise<readonly FileChecksum[]> {
  const { catalog, secrets, writtenAt, watch } = writing
  const tables = source.tables.map((table): WrittenTable => ({ table, inFile: tableInFile(catalog, table, secrets) }))
  const resources: FileResource[] = []
  for (const { table, inFile } of tables) {
    const counted = table.columns.some((column) => column.counted)
    const lastId = counted ? await source.lastId(table) : 0
    const { name, fields } = inFile
    resources.push({ name, rows: await source.rows(table), lastId, fields })
  }
  await watch.began(resources.reduce((sum, { rows }) => sum + rows, 0))
  await writing.write(printHead({ writtenAt, model: fingerprintOf(catalog), secrets, resources }))
  const written: FileChecksum[] = []
  for (const one of tables) written.push(await writeTable(source, one, writing))
  return written
}
