/** `bindery export --all <file>`: the whole database as one file, as it is at one moment. */
import { systemClock, timestampOf } from '../clock.ts'
import { readConfig } from '../config.ts'
import { describeDatabase, readStorage } from '../storage/open.ts'
import { type Cli, loadCatalog } from './console.ts'
import { isStandard } from './lines/format.ts'
import { openTarget } from './lines/target.ts'
import { checksumShown, makeWatch } from './terminal/copy-watch.ts'
import { formatSeconds } from './terminal/progress.ts'
import { makeTable } from './terminal/table.ts'

type Asked = { readonly file: string; readonly withSecrets: boolean | undefined; readonly force: true | undefined }

export async function exportAll(cli: Cli, { file, withSecrets = false, force }: Asked): Promise<void> {
  const { writeDatabase } = await import('../storage/copy/write-file.ts')
  const { database } = readConfig()
  const catalog = await loadCatalog(cli)
  const target = await openTarget(file, cli.output, { force, private: true })
  const quiet = cli.output.json || isStandard(file)
  const watch = makeWatch({ label: 'export', passes: 1, quiet, stopped: 'nothing was exported' })
  const writing = {
    catalog,
    secrets: withSecrets,
    writtenAt: timestampOf(systemClock()),
    write: target.write,
    watch,
  }
  let written: Awaited<ReturnType<typeof writeDatabase>>
  try {
    written = await readStorage(database, catalog, (source) => writeDatabase(source, writing))
    await target.finish()
  } catch (error) {
    target.abandon()
    throw error
  } finally {
    watch.end()
  }
  const rows = written.reduce((sum, one) => sum + one.rows, 0)
  if (cli.output.json && !isStandard(file))
    return cli.output.value({ file, rows, secrets: withSecrets, seconds: watch.seconds(), resources: written })
  if (!isStandard(file)) {
    const shown = written.map((one) => ({ ...one, rows: String(one.rows), sha256: one.sha256.slice(0, checksumShown) }))
    await cli.output.write(makeTable(['resource', 'rows', 'sha256']).print(shown))
  }
  cli.output.note(
    `${rows} rows of ${written.length} resources of ${describeDatabase(database)} exported in ${formatSeconds(watch.seconds())}`,
  )
  cli.output.note(
    withSecrets
      ? 'Hashes of passwords, keys and tokens are in the file: keep it as you keep the database'
      : 'Hashes of passwords, keys and tokens are not in the file; --with-secrets exports them too',
  )
}
