/**
 * `bindery export --all <file>`: exports the whole database at one moment to one file. From a
 * damaged one it exports all readable records.
 */
import { systemClock, timestampOf } from '../../base/clock.ts'
import { makeTable } from '../../command/table.ts'
import { readConfig } from '../../config.ts'
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { sayings } from '../../service/features.ts'
import type { FileChecksum } from '../../storage/copy/file-head.ts'
import type { KeptFile } from '../../storage/copy/kept-files.ts'
import type { ConfiguredDatabase } from '../../storage/database-kind.ts'
import { describeDatabase, readStorage } from '../../storage/open.ts'
import { type CommandContext, loadCatalog } from '../console.ts'
import { isStandard } from '../lines/format.ts'
import { openTarget } from '../lines/target.ts'
import { type CopyProgress, checksumShown, makeCopyProgress } from '../terminal/copy-progress.ts'
import { formatSeconds } from '../terminal/progress.ts'
import { exportFiles, exportingFiles, listKept, noteBeside } from './export-files.ts'
import type { RescueResult } from './rescue.ts'

type ExportAllRequest = {
  readonly file: string
  readonly withSecrets: boolean | undefined
  readonly force: true | undefined
}

type ExportState = {
  readonly cli: CommandContext
  readonly asked: ExportAllRequest
  readonly catalog: Catalog
  readonly watch: CopyProgress
}
type WrittenSums = { readonly sums: readonly FileChecksum[]; readonly kept: readonly KeptFile[] }

/** The file appears when it is complete. */
async function write(
  { cli, asked, catalog, watch }: ExportState,
  database: ConfiguredDatabase,
  takesAll: boolean,
): Promise<WrittenSums> {
  const { writeDatabase } = await import('../../storage/copy/write-file.ts')
  const { file, withSecrets: secrets = false, force } = asked
  const target = await openTarget(file, cli.output, { force, private: true })
  const writing = { catalog, secrets, takesAll, writtenAt: timestampOf(systemClock()), write: target.write, watch }
  try {
    const written = await readStorage(database, catalog, async (source) => {
      const kept = await listKept(source, catalog)
      return { sums: await writeDatabase(source, writing), kept }
    })
    await target.finish()
    return written
  } catch (error) {
    target.abandon()
    throw error
  }
}

/**
 * Exports the readable records of a damaged database. Rethrows the original error where the
 * database is not damaged.
 */
async function writeRescued(writing: ExportState, database: ConfiguredDatabase, met: unknown) {
  const { isDamaged, onRescued } = await import('./rescue.ts')
  const { cli, asked, catalog, watch } = writing
  const { AmbiguousValueError } = await import('../../storage/copy/write-file.ts')
  const isUnsure = met instanceof AmbiguousValueError && database.kind.rescue !== undefined
  if (watch.stop.aborted || !(isUnsure || (await isDamaged(database)))) throw met
  if (isStandard(asked.file))
    throw new StartError(
      'The database is damaged: what can still be read goes to a file, and its list of what is missing beside it',
    )
  if (!isUnsure) cli.output.note('The database is damaged. All that can still be read is written')
  let written: WrittenSums = { sums: [], kept: [] }
  const rescued = await onRescued({ database, catalog, file: asked.file }, async (copy) => {
    written = await write(writing, copy, true)
  })
  return { written, rescued }
}

/** Throws `StartError` where the file lacks records. */
async function tellMissing({ asked }: ExportState, rescued: RescueResult | undefined): Promise<void> {
  if (!rescued?.list) return
  const { printCounts } = await import('./rescue.ts')
  throw new StartError(
    `Missing, and listed in ${rescued.list}: ${printCounts(rescued)}. The readable records are in ${asked.file}, which goes into an empty place: DATA_DIR=rescued bindery import --all ${asked.file}`,
  )
}

export async function exportAll(cli: CommandContext, asked: ExportAllRequest): Promise<void> {
  const { file, withSecrets = false } = asked
  const config = readConfig()
  const { database } = config
  const catalog = await loadCatalog(cli)
  const quiet = cli.output.json || isStandard(file)
  const watch = makeCopyProgress({ label: 'export', passes: 1, quiet, stopped: 'nothing was exported' })
  const writing = { cli, asked, catalog, watch }
  // An export to standard output cannot start again
  const takesAll = database.kind.rescue === undefined || isStandard(file)
  const {
    sums: written,
    rescued,
    beside,
  } = await exportingFiles(config, catalog, async () => {
    const done = await write(writing, database, takesAll)
      .then((all) => ({ written: all, rescued: undefined }))
      .catch((error) => writeRescued(writing, database, error))
    return { ...done.written, rescued: done.rescued, beside: await exportFiles(config, file, done.written.kept) }
  }).finally(() => watch.end())
  const rows = written.reduce((sum, one) => sum + one.rows, 0)
  if (cli.output.json && !isStandard(file)) {
    const missing = rescued && { missing: Object.fromEntries(rescued.counts), list: rescued.list ?? null }
    cli.output.value({
      file,
      rows,
      secrets: withSecrets,
      seconds: watch.seconds(),
      resources: written,
      ...missing,
      ...(beside && { files: beside }),
    })
    return tellMissing(writing, rescued)
  }
  if (!isStandard(file)) {
    const shown = written.map((one) => ({ ...one, rows: String(one.rows), sha256: one.sha256.slice(0, checksumShown) }))
    await cli.output.write(makeTable(['resource', 'rows', 'sha256']).print(shown))
  }
  cli.output.note(
    `${rows} rows of ${written.length} resources of ${describeDatabase(database)} exported in ${formatSeconds(watch.seconds())}`,
  )
  noteBeside(cli, beside)
  cli.output.note(sayings(withSecrets ? 'exportedWith' : 'exportedBare'))
  await tellMissing(writing, rescued)
}
