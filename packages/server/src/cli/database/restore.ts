/**
 * `bindery restore`: restores a backup into an empty place. It verifies the backup before it puts
 * it there, and asks first.
 */
import { tmpdir } from 'node:os'
import type { Command } from 'commander'
import type { FoundRestorePoint } from '../../backup/log/restore-log.ts'
import type { Manifest } from '../../backup/manifest.ts'
import { openBackup } from '../../backup/restore-backup.ts'
import { printBytes } from '../../base/print-bytes.ts'
import { UsageError } from '../../command/usage-error.ts'
import { readConfig } from '../../config.ts'
import { StartError } from '../../errors.ts'
import type { OutgoingSettings } from '../../settings/outgoing-settings.ts'
import { describeDatabase } from '../../storage/open.ts'
import type { ObjectStore } from '../../stores/object-store.ts'
import { type CommandContext, loadCatalog } from '../console.ts'
import { formatSeconds } from '../terminal/progress.ts'
import { type BackupLocation, identitiesIn, parseBackupLocation } from './backup-location.ts'
import { checkRestorePoint, runRestoreToPoint } from './restore-to-point.ts'
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

/** A time of RFC 3339 → milliseconds. Throws `UsageError`. */
function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw new UsageError(`--at must be a time such as 2026-11-22T16:00:00Z, not ${text}`)
  return time
}

/** The newest backup in a place that is not later than a given time, and its own time. */
async function newestIn(
  store: ObjectStore,
  atMs: number | undefined,
): Promise<{ readonly name: string; readonly timeMs: number } | undefined> {
  const { timeOfName } = await import('../../backup/take-backup.ts')
  const dated = (await store.list('bindery-')).map(({ name }) => ({ name, timeMs: timeOfName(name) ?? Number.NaN }))
  const old = dated.filter(({ timeMs }) => timeMs <= (atMs ?? Number.MAX_VALUE))
  return old.sort((a, b) => a.timeMs - b.timeMs).at(-1)
}

async function describe(manifest: Manifest, what: string): Promise<string> {
  const { rowsIn } = await import('../../backup/manifest.ts')
  const { at, bindery, content, tables } = manifest
  const counts = `${rowsIn(manifest)} rows of ${Object.keys(tables).length} tables, ${printBytes(content.bytes)}`
  return `${what}: a backup as of ${at}, ${counts}, made by Bindery ${bindery}`
}

type RestoreSource = {
  readonly store: ObjectStore
  readonly name: string
  readonly what: string
  /**
   * Set where copies of a log reach later than the newest backup; `name` is that of their full
   * copy.
   */
  readonly moment: FoundRestorePoint | undefined
}

async function find(
  { setting, name: said }: BackupLocation,
  outgoing: OutgoingSettings,
  atMs: number | undefined,
): Promise<RestoreSource> {
  const { openBackupStore } = await import('../../backup/open-backup-store.ts')
  const { ownBucketFetch } = await import('../../stores/bucket-fetch.ts')
  const { findRestorePointIn } = await import('../../backup/log/restore-log.ts')
  const store = await openBackupStore(setting, ownBucketFetch(outgoing))
  const found = (name: string, moment?: FoundRestorePoint) => ({ store, name, what: `${store.name}/${name}`, moment })
  if (said !== undefined) return found(said)
  const moment = await findRestorePointIn(store, atMs ?? Number.MAX_SAFE_INTEGER)
  const newest = await newestIn(store, atMs)
  if (moment && moment.untilMs >= (newest?.timeMs ?? 0)) return found(moment.base.name, moment)
  if (newest) return found(newest.name)
  throw new StartError(`There is no backup in ${store.name}${atMs === undefined ? '' : ' from before that time'}`)
}

async function check(
  cli: CommandContext,
  { store, name, what }: RestoreSource,
  identities: readonly string[],
): Promise<void> {
  const { filesOfBackup, unpackInto } = await import('../../backup/restore-backup.ts')
  const { checkCopies } = await import('../../backup/files/restore-files.ts')
  const { inWorkFolder } = await import('../../backup/work-folder.ts')
  const opened = await openBackup(await store.read(name), identities)
  const files = await inWorkFolder(store.workFolder ?? tmpdir(), async (folder) => {
    const { file } = await unpackInto(opened, folder)
    return checkCopies(filesOfBackup(opened, file), { place: store, identities })
  })
  const { count, bytes } = files
  if (cli.output.json)
    return cli.output.value({ name: what, good: true, manifest: opened.manifest, ...(count > 0 && { files }) })
  cli.output.note(await describe(opened.manifest, what))
  cli.output.note('It is good: all of it was unpacked, opened and counted. Nothing was changed')
  if (count > 0)
    cli.output.note(`Its ${count} files, ${printBytes(bytes)}, are beside it, and each has the SHA-256 of its row`)
}

async function run(cli: CommandContext, from: string | undefined, options: RestoreOptions): Promise<void> {
  const { refuseOccupied, restoreBackup } = await import('../../backup/restore-backup.ts')
  const { inWorkFolder } = await import('../../backup/work-folder.ts')
  const atMs = parseTime(options.at)
  const identities = identitiesIn(options.identity)
  const config = readConfig()
  const { database, dataDir, backups } = config
  const everything = backups.store && { setting: backups.store, name: undefined }
  const meant = from === undefined ? everything : parseBackupLocation(from)
  if (meant === undefined) throw new UsageError('say from where: bindery restore <file, folder or s3://…>')
  const found = await find(meant, config.outgoing, atMs)
  const { moment, store } = found
  if (options.check)
    return moment ? checkRestorePoint(cli, { store, moment, identities }) : check(cli, found, identities)
  await refuseOccupied(database)
  if (moment) return runRestoreToPoint(cli, { store, moment, identities }, options)
  const opened = await openBackup(await store.read(found.name), identities)
  const { manifest } = opened
  const target = describeDatabase(database)
  const kept = manifest.key ? 'secret and key pair' : 'secret'
  const withSecrets = manifest.secret || manifest.key ? `, with its ${kept} of access tokens` : ''
  cli.output.note(await describe(manifest, found.what))
  cli.output.note(`It goes into ${target}, which is empty${withSecrets}`)
  await confirmRestore(options)
  const sinceMs = performance.now()
  const catalog = await loadCatalog(cli)
  const wanted = wantedSecrets(config)
  const files = filesToRestore(config, { store, identities }, options)
  const restored = await inWorkFolder(workBase(database, dataDir), (folder) =>
    restoreBackup(opened, { database, catalog, folder, wanted, files }),
  )
  await keepRestored(config, found.what, manifest.at)
  const seconds = (performance.now() - sinceMs) / 1000
  if (cli.output.json)
    return cli.output.value({
      name: found.what,
      target,
      at: manifest.at,
      ...restoredSecretNames(restored.secrets),
      ...restoredFilesShown(restored.files),
      seconds,
      manifest,
    })
  cli.output.note(
    `Restored in ${formatSeconds(seconds)}: every write acknowledged before ${manifest.at} is in ${target}. It was opened and counted`,
  )
  reportRestored(cli, config, restored)
}

const examples = `
The place of DATABASE_URL and DATA_DIR must be empty. Everything is unpacked beside it and looked at first: what is damaged or
cut off is refused, and the place is as empty as before. Nothing is asked with --yes.

A folder or s3://… means the latest moment that is known there, or the latest one that is not after --at: of copies of the log
(WAL_COPY), or of a backup where that is newer.

Examples:
  $ bindery restore /srv/backups/
  $ bindery restore before-upgrade.tar.zst --yes
  $ bindery restore s3://house/shop --identity key.txt --at 2026-11-22T16:00:00Z
  $ bindery restore --check before-upgrade.tar.zst   # is it good? changes nothing`

export function addRestore(program: Command, cli: CommandContext): void {
  program
    .command('restore')
    .description('bring a backup back into an empty place')
    .argument('[from]', 'a file, a folder or s3://BUCKET/PREFIX; BACKUP_DIR unless said')
    .option('--identity <file>', 'the file with the secret key of age, for what is encrypted')
    .option('--at <time>', 'as it was at this time: 2026-11-22T16:00:00Z')
    .option('--check', 'only say whether the backup is good')
    .option('--allow-missing-files', 'also where files of records cannot be brought back')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples)
    .action((from: string | undefined, options: RestoreOptions) => run(cli, from, options))
}
