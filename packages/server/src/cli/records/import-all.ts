/**
 * `bindery import --all <file>`: loads a file of `export --all` into an empty database of any kind,
 * and compares both at the end. It is all or nothing: after an interruption the database is empty,
 * and the command can run again.
 */

import { makeTable } from '../../command/table.ts'
import { UsageError } from '../../command/usage-error.ts'
import { readConfig } from '../../config.ts'
import { sayings } from '../../service/features.ts'
import type { TableChecksum } from '../../storage/copy/copy-rows.ts'
import type { FileChecksum } from '../../storage/copy/file-head.ts'
import { describeDatabase, fillStorage } from '../../storage/open.ts'
import { type CommandContext, loadCatalog } from '../console.ts'
import { ndjsonLines } from '../lines/ndjson.ts'
import { openSource } from '../lines/source.ts'
import { checksumShown, makeCopyProgress, reportingDifference } from '../terminal/copy-progress.ts'
import { formatSeconds } from '../terminal/progress.ts'
import { type BesideFiles, importFiles, noteBeside } from './export-files.ts'

/** A row may be longer than a line that people import. */
const lineBytesMax = 256 * 1024 * 1024

type ImportAllRequest = { readonly file: string; readonly map: readonly string[]; readonly leaveOut: readonly string[] }

/** `loan.state.BACK=RETURNED` → its two parts. Throws `UsageError`. */
function renamedIn(maps: readonly string[]): Map<string, string> {
  return new Map(
    maps.map((text) => {
      const [path = '', name = '', ...more] = text.split('=')
      if (path === '' || name === '' || more.length > 0)
        throw new UsageError(
          `--map must be a name of the file and the one of today, such as book.cover=coverUrl, not ${text}`,
        )
      return [path, name]
    }),
  )
}

async function* textsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const { text } of ndjsonLines(chunks, lineBytesMax)) yield text
}

type ReadTable = { readonly table: string; readonly file: FileChecksum | null; readonly target: TableChecksum }

/** The SHA-256 of the file, as `export --all` prints it. */
function printRead(tables: readonly ReadTable[]): string {
  const rows = tables.map(({ table, file, target }) => ({
    table,
    fileRows: String(file?.rows ?? 0),
    targetRows: String(target.rows),
    fileSha256: file?.sha256.slice(0, checksumShown) ?? '',
  }))
  return makeTable(['table', 'fileRows', 'targetRows', 'fileSha256']).print(rows)
}

export async function importAll(cli: CommandContext, { file, map, leaveOut }: ImportAllRequest): Promise<void> {
  const { fileSource, openDatabaseFile } = await import('../../storage/copy/read-file.ts')
  const { withinCounters } = await import('../../storage/copy/copy-tables.ts')
  const fitting = { renamed: renamedIn(map), leftOut: new Set(leaveOut) }
  const config = readConfig()
  const { database } = config
  const catalog = await loadCatalog(cli)
  const watch = makeCopyProgress({
    label: 'import',
    passes: 2,
    quiet: cli.output.json,
    stopped: 'nothing was imported',
  })
  const { chunks, name } = await openSource(file, new AbortController().signal)
  const opened = await openDatabaseFile(textsOf(chunks))
  const source = withinCounters(fileSource(opened, catalog, fitting))
  let beside: BesideFiles | undefined
  // the database is known to be empty then, and its records come after their files
  const began = async (rows: number) => {
    if (catalog.files) beside = await importFiles(config, file)
    await watch.began(rows)
  }
  const tables = await reportingDifference(cli.output, () =>
    fillStorage(database, { ...watch, began, catalog, source, from: name, command: 'bindery import --all' }),
  ).finally(() => watch.end())
  const rows = tables.reduce((sum, one) => sum + one.source.rows, 0)
  const { secrets, writtenAt, model } = opened.head
  const to = describeDatabase(database)
  const compared = tables.map((one) => ({ ...one, file: source.sums.get(one.table) ?? null }))
  if (cli.output.json)
    return cli.output.value({
      file: name,
      to,
      same: true,
      rows,
      seconds: watch.seconds(),
      secrets,
      writtenAt,
      model,
      tables: compared,
      ...(beside && { files: beside }),
    })
  await cli.output.write(printRead(compared))
  cli.output.note(`${rows} rows of ${tables.length} tables imported from ${name}, written ${writtenAt}, to ${to}`)
  cli.output.note(`In ${formatSeconds(watch.seconds())}; all values were compared: counts, and SHA-256 by id`)
  noteBeside(cli, beside)
  if (catalog.files && !beside)
    cli.output.note(
      'The bytes of files did not come along. They are in FILES_STORE already, or see: bindery doctor --deep',
    )
  if (!secrets && catalog.self) cli.output.note(sayings('afterBareImport'))
}
