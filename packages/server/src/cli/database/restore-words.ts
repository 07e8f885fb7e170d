/** Questions and reports of every restore, from a backup or from copies of a log. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { BroughtFiles } from '../../backup/files/each-file.ts'
import type { FileRestore } from '../../backup/files/restore-files.ts'
import { noteRestored } from '../../backup/last-backup.ts'
import type { RestoredParts } from '../../backup/restore-backup.ts'
import { timestampOf } from '../../base/clock.ts'
import { printBytes } from '../../base/print-bytes.ts'
import { Interrupted, UsageError } from '../../command/usage-error.ts'
import type { Config } from '../../config.ts'
import { sayings } from '../../service/features.ts'
import type { ConfiguredDatabase, SecretName } from '../../storage/database-kind.ts'
import type { ObjectStore } from '../../stores/object-store.ts'
import type { CommandContext } from '../console.ts'
import { openFilesStore } from './files-store.ts'

export type RestoreOptions = {
  readonly identity?: string
  readonly at?: string
  readonly yes?: true
  readonly check?: true
  readonly allowMissingFiles?: boolean
}

/** Asks on a terminal; elsewhere `--yes` is required. */
export async function confirmRestore({ yes }: RestoreOptions): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError('no terminal to confirm the restore: pass --yes')
  const { isCancel, confirm: ask } = await import('@clack/prompts')
  const answer = await ask({ message: 'Restore?', output: process.stderr })
  if (isCancel(answer) || !answer) throw new Interrupted('Nothing was restored')
}

/** A working folder on the disk of the database, where the database is a file. */
export function workBase({ kind, setup }: ConfiguredDatabase, dataDir: string): string {
  return kind.ownBackup?.workFolder(setup) ?? (existsSync(dataDir) ? dataDir : tmpdir())
}

/** Notes in the database which backup it was restored from. `at`: the time of the restored data. */
export function keepRestored({ database }: Pick<Config, 'database'>, from: string, at: string): Promise<void> {
  return noteRestored(database, { when: timestampOf(Date.now()), at, from })
}

type SigningConfig = Pick<Config, 'jwtSecret' | 'signing'>

/** The secrets that the configuration lacks. */
export function wantedSecrets({ jwtSecret, signing }: SigningConfig): SecretName[] {
  return [
    ...(jwtSecret === undefined ? ['jwt secret' as const] : []),
    ...(signing?.privateKey ? [] : ['jwt key' as const]),
  ]
}

/** Where the files of a restore come from, and where they go. */
export function filesToRestore(
  config: Pick<Config, 'files' | 'outgoing'>,
  { store: place, identities }: { readonly store: ObjectStore; readonly identities: readonly string[] },
  { allowMissingFiles = false }: RestoreOptions,
): FileRestore {
  return { place, identities, openFiles: () => openFilesStore(config), allowMissing: allowMissingFiles }
}

/** For `--json`: nothing where the database has no files. */
export function restoredFilesShown(files: BroughtFiles) {
  return files.count + files.missing > 0 ? { files } : {}
}

/** For `--json`. */
export function restoredSecretNames(secrets: readonly SecretName[]) {
  return { secret: secrets.includes('jwt secret'), key: secrets.includes('jwt key') }
}

/** Reports after a restore. */
export function reportRestored(
  { output }: CommandContext,
  signing: SigningConfig,
  { secrets, files }: RestoredParts,
): void {
  output.note(sayings('restored'))
  const { count, bytes, copied } = files
  if (count + files.missing > 0)
    output.note(
      `${count} files of records, ${printBytes(bytes)}, are in their store: ${copied} came from copies, and the others were there`,
    )
  if (files.missing > 0) output.note(`${files.missing} files of records are missing: bindery doctor --deep lists them`)
  const missing = wantedSecrets(signing).filter((name) => !secrets.includes(name))
  if (missing.includes('jwt secret'))
    output.note(
      'The secret of access tokens did not come along. Put it there before the start, or clients refresh, and what it seals (authenticators) is set up anew',
    )
  if (signing.signing && missing.includes('jwt key'))
    output.note(
      'The key pair of access tokens did not come along (JWT_ALG=EdDSA). Put it there before the start, or another one is made: clients refresh, and whoever checks tokens must fetch /.well-known/jwks.json anew',
    )
}
