/** `bindery restore` from copies of a log: a whole copy, and what its log says after it. */
import { tmpdir } from 'node:os'
import type { MomentOrder } from '../../backup/log/restore-log.ts'
import { readConfig } from '../../config.ts'
import { describeDatabase } from '../../storage/open.ts'
import type { Cli } from '../console.ts'
import { formatSeconds } from '../terminal/progress.ts'
import {
  cameAlong,
  confirmRestore,
  keepRestored,
  type RestoreOptions,
  tellRestored,
  wantedSecrets,
  workBase,
} from './restore-words.ts'

type Found = Omit<MomentOrder, 'folder'>

const timesOf = ({ moment }: Found) => ({
  until: new Date(moment.untilMs).toISOString(),
  base: new Date(moment.base.untilMs).toISOString(),
})

function describe(found: Found): string {
  const { until, base } = timesOf(found)
  const { place, moment } = found
  const count = moment.stretches.length
  const stretches = `${count} ${count === 1 ? 'stretch' : 'stretches'} of the log`
  return `${place.name}: a whole copy as of ${base} and ${stretches} after it, up to ${until}`
}

export async function runMoment(cli: Cli, found: Found, options: RestoreOptions): Promise<void> {
  const { restoreMoment } = await import('../../backup/log/restore-log.ts')
  const { inWorkFolder } = await import('../../backup/work-folder.ts')
  const config = readConfig()
  const { database, dataDir } = config
  const target = describeDatabase(database)
  cli.output.note(describe(found))
  cli.output.note(`It goes into ${target}, which is empty`)
  await confirmRestore(options)
  const sinceMs = performance.now()
  const { tables, secrets } = await inWorkFolder(workBase(database, dataDir), (folder) =>
    restoreMoment({ ...found, database, folder, wanted: wantedSecrets(config) }),
  )
  const { until, base } = timesOf(found)
  await keepRestored(config, found.place.name, until)
  const seconds = (performance.now() - sinceMs) / 1000
  const { rowsIn } = await import('../../backup/manifest.ts')
  const rows = rowsIn({ tables })
  const { name } = found.place
  if (cli.output.json)
    return cli.output.value({ name, target, at: until, base, rows, ...cameAlong(secrets), seconds, tables })
  cli.output.note(
    `Restored in ${formatSeconds(seconds)}: ${rows} rows; every write acknowledged before ${until} is in ${target}; later ones may be missing. It was opened and checked`,
  )
  tellRestored(cli, config, secrets)
}

/** Makes the whole of it in a folder that is removed afterwards. */
export async function checkMoment(cli: Cli, found: Found): Promise<void> {
  const { makeMoment } = await import('../../backup/log/restore-log.ts')
  const { inWorkFolder } = await import('../../backup/work-folder.ts')
  const { place, moment } = found
  const { manifest } = await inWorkFolder(place.workFolder ?? tmpdir(), (folder) => makeMoment({ ...found, folder }))
  const { rowsIn } = await import('../../backup/manifest.ts')
  const { until, base } = timesOf(found)
  const [rows, stretches] = [rowsIn(manifest), moment.stretches.length]
  if (cli.output.json)
    return cli.output.value({ name: place.name, good: true, at: until, base, stretches, rows, manifest })
  cli.output.note(describe(found))
  cli.output.note(`It is good: all of it was unpacked, applied, opened and counted, ${rows} rows. Nothing was changed`)
}
