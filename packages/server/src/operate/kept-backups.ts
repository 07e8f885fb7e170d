/** The backups in the configured place, and one more of them on request. */
import type { LastBackups } from '../backup/last-backup.ts'
import { openBackupStore } from '../backup/open-backup-store.ts'
import { timeOfName } from '../backup/take-backup.ts'
import { timestampOf } from '../base/clock.ts'
import { defineRoute } from '../endpoint/define-route.ts'
import { documentedResponse } from '../endpoint/documented-response.ts'
import { ApiError } from '../errors.ts'
import type { BackupSettings } from '../settings/backup-settings.ts'
import type { MakeBucketFetch } from '../stores/bucket-fetch.ts'
import { type OperateRouteDeps, operatePath, operateWords, readByOperator } from './operate-words.ts'

export type BackupPlace = {
  last(): Promise<LastBackups>
  readonly settings: BackupSettings
  readonly bucketFetch: MakeBucketFetch
  readonly work: { begin(): Promise<boolean>; isTaking(): boolean }
}

const shownMax = 200

async function filesIn({ settings: { store: setting }, bucketFetch }: BackupPlace) {
  if (!setting) return { place: null, files: [] }
  const store = await openBackupStore(setting, bucketFetch)
  try {
    const files = (await store.list('bindery-')).flatMap(({ name, bytes }) => {
      const ms = timeOfName(name)
      return ms === undefined ? [] : [{ name, at: timestampOf(ms), bytes }]
    })
    return { place: store.name, files: files.toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, shownMax) }
  } catch (error) {
    return { place: store.name, files: [], problem: (error as Error).message }
  }
}

/** The newest first, with the last good one, and the last that failed since. */
export async function readBackups({ backups }: OperateRouteDeps) {
  const { last, settings, work } = backups
  const { good, failed } = await last()
  return {
    ...(await filesIn(backups)),
    schedule: settings.schedule?.text ?? null,
    isTaking: work.isTaking(),
    good: good ?? null,
    failed: failed ?? null,
  }
}

export const askForBackup = defineRoute({
  method: 'POST',
  path: operatePath('backups/take'),
  describe: operateWords(
    'takeBackup',
    'Take a backup',
    'It is begun, and goes to BACKUP_DIR. The list says how it went.',
  ),
  rule: readByOperator.rule,
  limits: { rate: 'write' },
  output: { 202: documentedResponse('It is begun.') },
  errors: [...readByOperator.errors, 'conflict'],
  async run(call, { backups: { settings, work }, note }: OperateRouteDeps) {
    if (!settings.store)
      throw new ApiError('conflict', 'There is no place for backups: set BACKUP_DIR, and start again')
    await note(call, 'backup-asked', {})
    if (!(await work.begin())) throw new ApiError('conflict', 'A backup is being taken: wait until it is there')
    return { status: 202 }
  },
})
