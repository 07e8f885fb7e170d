/** `bindery restore`: a backup into an empty place, looked at before it stands there, and told before it is done. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Command } from 'commander'
import type { Manifest } from '../backup/manifest.ts'
import type { Place } from '../backup/place.ts'
import { openBackup } from '../backup/restore-backup.ts'
import type { FoundMoment } from '../backup/restore-log.ts'
import { readConfig } from '../config.ts'
import { StartError } from '../errors.ts'
import type { Database } from '../storage/database-kind.ts'
import { describeDatabase } from '../storage/open.ts'
import { printBytes } from './backup.ts'
import { identitiesIn, meantBy } from './backup-place.ts'
import { type Cli, loadCatalog } from './console.ts'
import { Interrupted, UsageError } from './failure.ts'
import { formatSeconds } from './progress.ts'

type Options = {
  readonly identity?: string
  readonly at?: string
  readonly yes?: true
  readonly check?: true
}

const sessionsText =
  'Sessions and keys are those of that time: what was logged out or revoked since works again, until you end it'

/** A time of RFC 3339 → milliseconds. Throws `UsageError`. */
function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw new UsageError(`--at must be a time such as 2026-11-22T16:00:00Z, not ${text}`)
  return time
}

/** Asks at a terminal; elsewhere `--yes` must have said it. */
async function confirm(yes: true | undefined): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError('nobody can be asked here: say --yes, and it is done')
  const { isCancel, confirm: ask } = await import('@clack/prompts')
  const answer = await ask({ message: 'Restore?', output: process.stderr })
  if (isCancel(answer) || !answer) throw new Interrupted('Nothing was restored')
}

/** The newest backup in a place that is not younger than that. */
async function newestIn(place: Place, atMs: number | undefined): Promise<string> {
  const { timeOfName } = await import('../backup/take-backup.ts')
  const names = (await place.list('bindery-')).map(({ name }) => name)
  const old = names.filter((name) => (timeOfName(name) ?? Number.POSITIVE_INFINITY) <= (atMs ?? Number.MAX_VALUE))
  const newest = old.sort((a, b) => (timeOfName(a) ?? 0) - (timeOfName(b) ?? 0)).at(-1)
  if (newest !== undefined) return newest
  throw new StartError(`There is no backup in ${place.name}${atMs === undefined ? '' : ' from before that time'}`)
}

async function describe(manifest: Manifest, what: string): Promise<string> {
  const { rowsIn } = await import('../backup/manifest.ts')
  const { at, bindery, content, tables } = manifest
  const counts = `${rowsIn(manifest)} rows of ${Object.keys(tables).length} tables, ${printBytes(content.bytes)}`
  return `${what}: a backup as of ${at}, ${counts}, made by Bindery ${bindery}`
}

function workBase({ kind, setup }: Database, dataDir: string): string {
  return kind.ownBackup?.workFolder(setup) ?? (existsSync(dataDir) ? dataDir : tmpdir())
}

type Found = {
  readonly place: Place
  readonly name: string
  readonly what: string
  /** Where copies of a log lead further than the newest backup. */
  readonly moment: FoundMoment | undefined
}

async function find(from: string, atMs: number | undefined): Promise<Found> {
  const { openPlace } = await import('../backup/place.ts')
  const { findInPlace } = await import('../backup/restore-log.ts')
  const { setting, name: said } = meantBy(from)
  const place = await openPlace(setting)
  const moment = said === undefined ? await findInPlace(place, atMs ?? Number.MAX_SAFE_INTEGER) : undefined
  const name = said ?? moment?.base.name ?? (await newestIn(place, atMs))
  return { place, name, what: `${place.name}/${name}`, moment }
}

/** A whole copy and what its log says after it. */
async function runMoment(
  cli: Cli,
  { place, moment }: Found & { moment: FoundMoment },
  options: Options,
): Promise<void> {
  const { restoreMoment } = await import('../backup/restore-log.ts')
  const { inWorkFolder } = await import('../backup/work-folder.ts')
  const { database, dataDir } = readConfig()
  const [until, base] = [moment.untilMs, moment.base.untilMs].map((ms) => new Date(ms).toISOString())
  const target = describeDatabase(database)
  cli.output.note(
    `${place.name}: a whole copy as of ${base} and ${moment.stretches.length} stretches of the log after it, up to ${until}`,
  )
  cli.output.note(`It goes into ${target}, which is empty`)
  await confirm(options.yes)
  const sinceMs = performance.now()
  const identities = identitiesIn(options.identity)
  const { tables } = await inWorkFolder(workBase(database, dataDir), (folder) =>
    restoreMoment({ database, folder, place, moment, identities }),
  )
  const seconds = (performance.now() - sinceMs) / 1000
  const { rowsIn } = await import('../backup/manifest.ts')
  const rows = rowsIn({ tables })
  if (cli.output.json) return cli.output.value({ name: place.name, target, at: until, base, rows, seconds, tables })
  cli.output.note(
    `Restored in ${formatSeconds(seconds)}: ${rows} rows; every write acknowledged before ${until} is in ${target}, and of later ones none need be. It was opened and checked`,
  )
  cli.output.note(sessionsText)
}

async function check(cli: Cli, { place, name, what }: Found, identities: readonly string[]): Promise<void> {
  const { unpackInto } = await import('../backup/restore-backup.ts')
  const { inWorkFolder } = await import('../backup/work-folder.ts')
  const opened = await openBackup(await place.read(name), identities)
  await inWorkFolder(place.workFolder ?? tmpdir(), (folder) => unpackInto(opened, folder))
  if (cli.output.json) return cli.output.value({ name: what, good: true, manifest: opened.manifest })
  cli.output.note(await describe(opened.manifest, what))
  cli.output.note('It is good: all of it was unpacked, opened and counted. Nothing was changed')
}

async function run(cli: Cli, from: string | undefined, options: Options): Promise<void> {
  const { refuseOccupied, restoreBackup } = await import('../backup/restore-backup.ts')
  const { inWorkFolder } = await import('../backup/work-folder.ts')
  const atMs = parseTime(options.at)
  const identities = identitiesIn(options.identity)
  const { database, dataDir, jwtSecret, backups } = readConfig()
  const where = from ?? (backups.place && ('folder' in backups.place ? `${backups.place.folder}/` : undefined))
  if (where === undefined) throw new UsageError('say from where: bindery restore <file, folder or s3://…>')
  const found = await find(where, atMs)
  if (options.check) return check(cli, found, identities)
  await refuseOccupied(database)
  const { moment } = found
  if (moment) return runMoment(cli, { ...found, moment }, options)
  const opened = await openBackup(await found.place.read(found.name), identities)
  const { manifest } = opened
  const target = describeDatabase(database)
  cli.output.note(await describe(manifest, found.what))
  cli.output.note(
    `It goes into ${target}, which is empty${manifest.secret ? ', with its secret of access tokens' : ''}`,
  )
  await confirm(options.yes)
  const sinceMs = performance.now()
  const catalog = await loadCatalog(cli)
  const wantsSecret = jwtSecret === undefined
  const restored = await inWorkFolder(workBase(database, dataDir), (folder) =>
    restoreBackup(opened, { database, catalog, folder, wantsSecret }),
  )
  const seconds = (performance.now() - sinceMs) / 1000
  if (cli.output.json)
    return cli.output.value({ name: found.what, target, at: manifest.at, ...restored, seconds, manifest })
  cli.output.note(
    `Restored in ${formatSeconds(seconds)}: every write acknowledged before ${manifest.at} is in ${target}. It was opened and counted`,
  )
  cli.output.note(sessionsText)
  if (!restored.secret && wantsSecret)
    cli.output.note(
      'The secret of access tokens did not come along. Put it there before the start, or clients refresh, and what it seals (authenticators) is set up anew',
    )
}

const examples = `
The place of DATABASE_URL and DATA_DIR must be empty. Everything is unpacked beside it and looked at first: what is damaged or
cut off is refused, and the place is as empty as before. Nothing is asked with --yes.

A folder or s3://… means the latest moment that is known there, or the latest one that is not after --at: of copies of the log
(WAL_COPY) where there are any, else of the newest backup.

Examples:
  $ bindery restore /srv/backups/
  $ bindery restore before-upgrade.tar.zst --yes
  $ bindery restore s3://house/shop --identity key.txt --at 2026-11-22T16:00:00Z
  $ bindery restore --check before-upgrade.tar.zst   # is it good? changes nothing`

export function addRestore(program: Command, cli: Cli): void {
  program
    .command('restore')
    .description('bring a backup back into an empty place')
    .argument('[from]', 'a file, a folder or s3://BUCKET/PREFIX; BACKUP_DIR unless said')
    .option('--identity <file>', 'the file with the secret key of age, for what is encrypted')
    .option('--at <time>', 'as it was at this time: 2026-11-22T16:00:00Z')
    .option('--check', 'only say whether the backup is good')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples)
    .action((from: string | undefined, options: Options) => run(cli, from, options))
}
