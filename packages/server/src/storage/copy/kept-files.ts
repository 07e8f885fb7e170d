/**
 * The files whose bytes belong to a database: those that records and versions have, and uploads
 * that are ready for one. They are read from rows in their stored form, of any source.
 */
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { fileTableName, fileFields as names } from '../../resource/made/file-table.ts'
import { columnOf } from '../model/model.ts'
import type { CopySource } from './copy-tables.ts'
import { parseHead } from './file-head.ts'

/** `isWaiting`: an upload that no record has. The sweep may have taken it since. */
export type KeptFile = {
  readonly id: string
  readonly size: number
  readonly sha256: string
  readonly isWaiting: boolean
}

/** The fields that are read, in this order. */
export const keptFields = [names.id, names.state, names.size, names.sha256, names.dueAt] as const

/** `isKept`: all of its bytes are there, and the sweep does not take it. */
export type FileRowFacts = Pick<KeptFile, 'id' | 'size' | 'sha256'> & {
  readonly state: string
  readonly isKept: boolean
  /** When the sweep may take it; null while a record or a version has it. */
  readonly dueAt: string | null
}

function rowFacts([id, state, size, sha256, dueAt]: readonly unknown[]): FileRowFacts {
  const isKept = state === 'ready' || ((state === 'attached' || state === 'released') && dueAt === null)
  return {
    id: String(id),
    state: String(state),
    size: Number(size),
    sha256: String(sha256),
    isKept,
    dueAt: typeof dueAt === 'string' ? dueAt : null,
  }
}

/** Undefined for a file that the sweep takes, and for one whose bytes are not all there. */
export function keptFile(values: readonly unknown[]): KeptFile | undefined {
  const { id, state, size, sha256, isKept } = rowFacts(values)
  return isKept ? { id, size, sha256, isWaiting: state === 'ready' } : undefined
}

/** All rows of files in one snapshot of a database, by id. */
export async function* fileRowsOf(source: CopySource, { files }: Catalog): AsyncGenerator<FileRowFacts> {
  const table = source.tables.find(({ name }) => name === files?.table)
  if (!table) return
  const places = keptFields.map((field) => table.columns.findIndex(({ name }) => name === columnOf(field)))
  for await (const { rows } of source.batches(table))
    for (const row of rows) yield rowFacts(places.map((place) => row[place]))
}

/** The files in the lines of an export, by id. */
export async function* keptFilesInLines(lines: AsyncIterable<string>): AsyncGenerator<KeptFile> {
  let rest: readonly string[] | undefined
  let places: readonly number[] = []
  for await (const line of lines) {
    if (!rest) {
      const { resources } = parseHead(line)
      rest = resources.map(({ name }) => name)
      const fields = Object.keys(resources.find(({ name }) => name === fileTableName)?.fields ?? {})
      if (fields.length === 0) return
      places = keptFields.map((field) => fields.indexOf(field))
      continue
    }
    // a row is an array, and the line after the last row an object
    if (!line.startsWith('[')) rest = rest.slice(1)
    else if (rest[0] === fileTableName) {
      const cells = JSON.parse(line) as readonly unknown[]
      const kept = keptFile(places.map((place) => cells[place]))
      if (kept) yield kept
    }
  }
  if (!rest) throw new StartError('The file is empty')
}
