/**
 * `bindery backup`: takes a whole backup while a server runs, and verifies it before it gets its
 * name.
 */
import { setPriority } from 'node:os'
import type { Command } from 'commander'
import type { FileCopies } from '../../backup/files/copy-files.ts'
import { printBytes } from '../../base/print-bytes.ts'
import { Interrupted, UsageError } from '../../command/usage-error.ts'
import { readConfig } from '../../config.ts'
import { ownVersion } from '../../create/own-version.ts'
import { backupLimits, parseRecipients } from '../../settings/backup-settings.ts'
import type { StoreSetting } from '../../settings/store-settings.ts'
import { describeDatabase } from '../../storage/open.ts'
import { type CommandContext, loadCatalog } from '../console.ts'
import { formatSeconds } from '../terminal/progress.ts'
import { parseBackupLocation } from './backup-location.ts'
import { openFilesStore } from './files-store.ts'

type BackupFlags = {
  readonly to?: string
  readonly withSecret?: true
  readonly force?: true
  readonly prune?: true
}

/** Ctrl-C and SIGTERM leave no partial backup. */
function stopOnSignals(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => controller.abort(new Interrupted('Stopped: there is no backup of this time')))
  return controller.signal
}

/**
 * By default each pause is as long as the step before it, so that a server on the same disk is not
 * slowed down.
 */
const { idleShare } = backupLimits

/** Lowers the process priority: a server comes first. */
function giveWay(): void {
  try {
    setPriority(10)
  } catch {
    // optional: some containers do not allow it
  }
}

/** For `--json`: the list is a local file that is gone. */
function filesShown({ list: _list, ...shown }: FileCopies) {
  return shown
}

function noteFiles({ output }: CommandContext, { count, bytes, copied, lacking, lackingFirst }: FileCopies): void {
  output.note(
    `${count} files of records, ${printBytes(bytes)}, lie beside it in file-copies: ${copied} were copied now, and all compared when they were`,
  )
  if (lacking === 0) return
  output.note(`${lacking} files of records are not in it: bindery doctor --deep lists them`)
  for (const { why } of lackingFirst) output.note(`  ${why}`)
}

async function run(cli: CommandContext, where: string | undefined, options: BackupFlags): Promise<void> {
  const { takeBackup, inThisProcess } = await import('../../backup/take-backup.ts')
  const { openBackupStore } = await import('../../backup/open-backup-store.ts')
  const { ownBucketFetch } = await import('../../stores/bucket-fetch.ts')
  const config = readConfig()
  const { database, backups, dataDir } = config
  const meant: { setting: StoreSetting | undefined; name: string | undefined } =
    where === undefined ? { setting: backups.store, name: undefined } : parseBackupLocation(where)
  if (!meant.setting) throw new UsageError('say where: bindery backup <file or folder>, or set BACKUP_DIR')
  const store = await openBackupStore(meant.setting, ownBucketFetch(config.outgoing))
  const to = options.to === undefined ? backups.to : parseRecipients('--to', options.to)
  giveWay()
  const sinceMs = performance.now()
  const stop = stopOnSignals()
  const backup = await takeBackup({
    database,
    store,
    name: meant.name,
    to,
    withSecrets: options.withSecret ?? to.length > 0,
    force: options.force ?? false,
    bindery: ownVersion(),
    dataDir,
    workers: inThisProcess,
    async captureRows(folder) {
      const { captureRows } = await import('../../backup/rows-backup.ts')
      return captureRows(database, await loadCatalog(cli), { folder, stop })
    },
    openFiles: () => openFilesStore(config),
    idleShare,
    stop,
  })
  const { prune } = await import('../../backup/prune.ts')
  const removed = options.prune ? await prune(store, backups.keep) : []
  const seconds = (performance.now() - sinceMs) / 1000
  const { manifest, name, bytes, encrypted, obstacle, files } = backup
  const { rowsIn } = await import('../../backup/manifest.ts')
  const rows = rowsIn(manifest)
  if (cli.output.json)
    return cli.output.value({
      place: store.name,
      name,
      bytes,
      encrypted,
      rows,
      seconds,
      removed,
      manifest,
      ...(files && { files: filesShown(files) }),
    })
  await cli.output.write(`${store.name}/${name}\n`)
  const tables = Object.keys(manifest.tables).length
  cli.output.note(
    `${rows} rows of ${tables} tables of ${describeDatabase(database)} as of ${manifest.at}: ${printBytes(bytes)}${encrypted ? ', encrypted,' : ''} in ${formatSeconds(seconds)}`,
  )
  cli.output.note('It was unpacked or read again, opened and counted: it is good')
  if (files) noteFiles(cli, files)
  if (obstacle) cli.output.note(`Rows were written one by one: ${obstacle}`)
  cli.output.note(
    manifest.secret || manifest.key
      ? `The generated secret ${manifest.key ? 'and key pair of access tokens are' : 'of access tokens is'} in it`
      : 'A generated secret of access tokens is not in it (--with-secret). Keep it elsewhere, or after a restore clients refresh, and authenticators are set up anew',
  )
  for (const old of removed) cli.output.note(`Removed ${old}`)
}

const examples = `
A server may run and write meanwhile: the backup is the database as it was at one moment. It is taken in steps with pauses,
opened and checked (every page, every reference, every count), packed, read again, and only then gets its name; whatever ends the
command before leaves no file that looks like a backup. Only its owner may read it. It is a tar in Zstandard, with a manifest.json.

With recipients (--to, BACKUP_TO) it is encrypted by age; such a backup also has the generated secret of access tokens in it,
and the generated key pair of JWT_ALG=EdDSA.

Examples:
  $ bindery backup /srv/backups/
  $ bindery backup before-upgrade.tar.zst
  $ bindery backup s3://house/shop --to age1…
  $ bindery backup --prune          # to BACKUP_DIR, and removes what BACKUP_KEEP does not keep`

export function addBackup(program: Command, cli: CommandContext): void {
  program
    .command('backup')
    .description('save the whole database, also while a server runs, and know that the backup is good')
    .argument('[where]', 'a file, a folder or s3://BUCKET/PREFIX; BACKUP_DIR unless said')
    .option('--to <recipients>', 'encrypt it for these recipients of age, with commas; BACKUP_TO unless said')
    .option('--with-secret', 'the generated secret and key pair of access tokens too, also without encryption')
    .option('--force', 'replace the file if it is there')
    .option('--prune', 'then remove the backups that BACKUP_KEEP does not keep')
    .addHelpText('after', examples)
    .action((where: string | undefined, options: BackupFlags) => run(cli, where, options))
}
