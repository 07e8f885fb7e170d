/** The folder of log copies that wait beside the database for a bucket, and its contents. */
import { join } from 'node:path'
import type { BackupStore, StoredFile } from '../stores/backup-store.ts'
import { openFolderStore } from '../stores/folder-store.ts'
import { logFolder } from './log-names.ts'

export function waitingFolder(dataDir: string): string {
  return join(dataDir, 'log-copies')
}

export function openWaiting(dataDir: string): BackupStore {
  return openFolderStore(waitingFolder(dataDir))
}

export function waitingIn(dataDir: string): Promise<readonly StoredFile[]> {
  return openWaiting(dataDir).list(logFolder)
}
