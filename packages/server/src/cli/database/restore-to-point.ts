/**
 * `bindery restore` to a moment: restores a full copy of the database, then replays its copied log
 * up to that time.
 */
import { tmpdir } from 'node:os'
import type { RestorePointRequest } from '../../backup/log/restore-log.ts'
import { readConfig } from '../../config.ts'
import { describeDatabase } from '../../storage/open.ts'
import type { CommandContext } from '../console.ts'
import { formatSeconds } from '../terminal/progress.ts'
import {
  confirmRestore,
  filesToRestore,
  keepRestored,
  type RestoreOptions,
  reportRestored,
  restoredFilesShown,
  restoredSecretNames,
  wantedSecrets,
  workBase,
} from './restore-words.ts'

type RestorePointLookup = Omit<RestorePointRequest, 'folder'>

const timesOf = ({ moment }: RestorePointLookup) => ({
  until: new Date(moment.untilMs).toISOString(),
  base: new Date(moment.base.untilMs).toISOString(),
})

function describe(found: RestorePointLookup): string {
  const { until, base } = timesOf(found)
  const { store, moment } = found
  const count = moment.segments.length
  const stretches = `${count} ${count === 1 ? 'stretch' : 'stretches'} of the log`
  return `${store.name}: a whole copy as of ${base} and ${stretches} after it, up to ${until}`
}

export async function runRestoreToPoint(
  cli: CommandContext,
  found: RestorePointLookup,
  options: RestoreOptions,
): Promise<void> {
  const { restoreToPoint } = await import('../../backup/log/restore-log.ts')
  const { inWorkFolder } = await import('../../backup/work-folder.ts')
  const config = readConfig()
  const { database, dataDir } = config
  const target = describeDatabase(database)
  cli.output.note(describe(found))
  cli.output.note(`It goes into ${target}, which is empty`)
  await confirmRestore(options)
  const sinceMs = performance.now()
  const files = filesToRestore(config, found, options)
  const restored = await inWorkFolder(workBase(database, dataDir), (folder) =>
    restoreToPoint({ ...found, database, folder, wanted: wantedSecrets(config), files }),
  )
  const { tables, secrets } = restored
  const { until, base } = timesOf(found)
  await keepRestored(config, found.store.name, until)
  const seconds = (performance.now() - sinceMs) / 1000
  const { rowsIn } = await import('../../backup/manifest.ts')
  const rows = rowsIn({ tables })
  const { name } = found.store
  if (cli.output.json)
    return cli.output.value({
      name,
      target,
      at: until,
      base,
      rows,
      ...restoredSecretNames(secrets),
      ...restoredFilesShown(restored.files),
      seconds,
      tables,
    })
  cli.output.note(
    `Restored in ${formatSeconds(seconds)}: ${rows} rows; every write acknowledged before ${until} is in ${target}; later ones may be missing. It was opened and checked`,
  )
  reportRestored(cli, config, restored)
}

/** Restores it into a folder that is removed afterwards, as a check. */
export async function checkRestorePoint(cli: CommandContext, found: RestorePointLookup): Promise<void> {
  const { buildRestorePoint } = await import('../../backup/log/restore-log.ts')
  const { inWorkFolder } = await import('../../backup/work-folder.ts')
  const { store, moment } = found
  const { manifest } = await inWorkFolder(store.workFolder ?? tmpdir(), (folder) =>
    buildRestorePoint({ ...found, folder }),
  )
  const { rowsIn } = await import('../../backup/manifest.ts')
  const { until, base } = timesOf(found)
  const [rows, stretches] = [rowsIn(manifest), moment.segments.length]
  if (cli.output.json)
    return cli.output.value({ name: store.name, good: true, at: until, base, stretches, rows, manifest })
  cli.output.note(describe(found))
  cli.output.note(`It is good: all of it was unpacked, applied, opened and counted, ${rows} rows. Nothing was changed`)
}
