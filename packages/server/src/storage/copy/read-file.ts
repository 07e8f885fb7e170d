/**
 * Reads an export file as the source of a copy: once, one resource after the other, each compared
 * with its own checksum.
 */

import { jsonText } from '../../base/json-text.ts'
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { type ModelTable, modelOf } from '../model/model.ts'
import { batchCharactersAimed, batchRowsMaxOf, type CopyBatch, makeTableChecksum } from './copy-rows.ts'
import type { CopySource } from './copy-tables.ts'
import { type FileChecksum, type FileHead, type FileResource, parseHead } from './file-head.ts'
import { type FileRow, type FitOptions, type FittedResource, fitFile } from './fit-file.ts'

export type DatabaseFile = { readonly head: FileHead; readonly lines: AsyncIterator<string> }
type FileRowLine = { readonly text: string; readonly cells: FileRow }

/** Throws `StartError` when the first line is not that of an export file. */
export async function openDatabaseFile(lines: AsyncIterable<string>): Promise<DatabaseFile> {
  const iterator = lines[Symbol.asyncIterator]()
  const first = await iterator.next()
  return { head: parseHead(first.done ? undefined : first.value), lines: iterator }
}

function parseLine(text: string, { name }: FileResource): FileRow | FileChecksum {
  try {
    return JSON.parse(text) as FileRow | FileChecksum
  } catch {
    throw new StartError(`A line of ${name} in the file is not as it was written: ${text.slice(0, 60)}`)
  }
}

/**
 * The rows of one resource; returns their checksum. Throws `StartError` unless the checksum in the
 * file is the same.
 */
async function* sectionOf(lines: AsyncIterator<string>, from: FileResource): AsyncGenerator<FileRowLine, FileChecksum> {
  const sum = makeTableChecksum()
  for (;;) {
    const next = await lines.next()
    if (next.done) throw new StartError(`The file is cut off in the middle of ${from.name}: export it again`)
    const text = next.value
    const parsed = parseLine(text, from)
    if (!Array.isArray(parsed)) {
      const { rows, checksum } = sum.end()
      const said = parsed as FileChecksum
      if (said.resource === from.name && said.rows === rows && said.sha256 === checksum) return said
      throw new StartError(
        `${from.name} in the file is not as it was written: its rows do not have the SHA-256 beside them`,
      )
    }
    sum.add({ texts: [text] })
    yield { text, cells: parsed }
  }
}

type TableSection = NonNullable<FittedResource['to']> & { readonly lines: AsyncIterable<FileRowLine> }

/** Batches for the target, made from rows of the file. */
async function* batchesIn({ table, rowOf, lines }: TableSection): AsyncGenerator<CopyBatch> {
  let rows: (readonly unknown[])[] = []
  let texts: string[] = []
  let characters = 0
  const rowsMax = batchRowsMaxOf(table)
  for await (const { text, cells } of lines) {
    const row = rowOf(cells)
    rows.push(row)
    texts.push(jsonText(row))
    characters += text.length
    if (rows.length < rowsMax && characters < batchCharactersAimed) continue
    yield { rows, texts }
    rows = []
    texts = []
    characters = 0
  }
  if (rows.length > 0) yield { rows, texts }
}

/** `sums`: checksums of the rows that were read so far, by target table. */
export type FileSource = CopySource & { readonly sums: ReadonlyMap<string, FileChecksum> }

/** Throws `StartError` that lists everything in the file that does not fit the declarations. */
export function fileSource({ head, lines }: DatabaseFile, catalog: Catalog, fitting: FitOptions): FileSource {
  const fitted = fitFile(head, catalog, fitting)
  const filled = fitted.flatMap(({ to }) => to?.table ?? [])
  const missing = modelOf(catalog).tables.filter(({ name }) => !filled.some((table) => table.name === name))
  const fromOf = (table: ModelTable) => fitted.find(({ to }) => to?.table === table)?.from
  const sums = new Map<string, FileChecksum>()
  let next = 0

  async function* noting(
    section: AsyncGenerator<FileRowLine, FileChecksum>,
    table: ModelTable,
  ): AsyncGenerator<FileRowLine> {
    sums.set(table.name, yield* section)
  }

  async function* batches(table: ModelTable): AsyncGenerator<CopyBatch> {
    if (!filled.includes(table)) return
    for (;;) {
      const { from, to } = fitted[next] as FittedResource
      next += 1
      const section = sectionOf(lines, from)
      if (to?.table === table) return yield* batchesIn({ ...to, lines: noting(section, table) })
      for await (const _leftOut of section);
    }
  }
  return {
    sums,
    tables: [...filled, ...missing],
    rows: async (table) => fromOf(table)?.rows ?? 0,
    batches,
    lastId: async (table) => fromOf(table)?.lastId ?? 0,
  }
}

/**
 * Reads the whole file, and throws `StartError` unless every checksum is right. Returns the number
 * of rows by resource.
 */
export async function checkDatabaseFile(lines: AsyncIterable<string>): Promise<Readonly<Record<string, number>>> {
  const { head, lines: rest } = await openDatabaseFile(lines)
  const rows: Record<string, number> = {}
  try {
    for (const resource of head.resources) {
      const section = sectionOf(rest, resource)
      let next = await section.next()
      while (!next.done) next = await section.next()
      rows[resource.name] = next.value.rows
    }
    return rows
  } finally {
    await rest.return?.() // the last line is not the end of the file, which stays open until then
  }
}
