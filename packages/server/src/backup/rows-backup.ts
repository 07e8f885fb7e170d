/**
 * Backs up a database row by row, in the format of `export --all` with secrets, which every kind of
 * database can write and read.
 */
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../resource/catalog.ts'
import type { CopyListener } from '../storage/copy/copy-tables.ts'
import { fingerprintOf } from '../storage/copy/file-head.ts'
import { fileLines } from '../storage/copy/file-lines.ts'
import { checkDatabaseFile, fileSource, openDatabaseFile } from '../storage/copy/read-file.ts'
import { writeDatabase } from '../storage/copy/write-file.ts'
import type { ConfiguredDatabase } from '../storage/database-kind.ts'
import type { CapturedBackup } from '../storage/native-backup.ts'
import { fillStorage, readStorage } from '../storage/open.ts'

export const rowsContent = 'database.ndjson'

/** For a copy without progress. */
export const unwatched: CopyListener = {
  began: async () => undefined,
  copied: () => undefined,
  compared: () => undefined,
  stop: new AbortController().signal,
}

/** The lines of a backup in rows. Its file is open until the last line, or the return. */
export async function* linesIn(file: string): AsyncGenerator<string> {
  const chunks = createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>
  for await (const { bytes } of fileLines(chunks)) yield bytes.toString('utf8')
}

/** Throws `StartError` unless the file is complete and has these rows. */
export async function checkRows(file: string): Promise<void> {
  await checkDatabaseFile(linesIn(file))
}

type RowsCaptureOptions = { readonly folder: string; readonly stop?: AbortSignal | undefined }

/** Writes one snapshot, unaffected by concurrent writes. Throws `StartError`. */
export async function captureRows(
  database: ConfiguredDatabase,
  catalog: Catalog,
  { folder, stop = unwatched.stop }: RowsCaptureOptions,
): Promise<CapturedBackup> {
  const file = join(folder, rowsContent)
  const at = new Date().toISOString()
  const stream = createWriteStream(file, { mode: 0o600, flags: 'wx' })
  let failure: unknown
  stream.on('error', (error) => {
    failure = error
  })
  const write = async (text: string) => {
    if (failure) throw failure
    if (!stream.write(text)) await once(stream, 'drain')
  }
  const watch = { ...unwatched, stop }
  const writing = { catalog, secrets: true, takesAll: true, writtenAt: at, write, watch }
  const written = await readStorage(database, catalog, (source) => writeDatabase(source, writing))
  stream.end()
  await once(stream, 'close')
  if (failure) throw failure
  await checkRows(file)
  const tables = Object.fromEntries(written.map(({ resource, rows }) => [resource, rows]))
  return { file: rowsContent, at, schema: fingerprintOf(catalog), tables }
}

/**
 * Throws `StartError` when the database is not empty, or when the stored rows differ from the file
 * at the end.
 */
export async function putBackRows(database: ConfiguredDatabase, catalog: Catalog, file: string): Promise<void> {
  const opened = await openDatabaseFile(linesIn(file))
  try {
    const source = fileSource(opened, catalog, { renamed: new Map(), leftOut: new Set() })
    await fillStorage(database, { ...unwatched, catalog, source, from: 'a backup', command: 'bindery restore' })
  } finally {
    await opened.lines.return?.()
  }
}
