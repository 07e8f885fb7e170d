/** The folder of log copies that wait beside the database for a bucket, and its contents. */
import { join } from 'node:path'
import { openFolderStore } from '../../stores/folder-store.ts'
import type { ObjectStore, StoredObject } from '../../stores/object-store.ts'
import { isOwnFolder, logFolder } from './log-names.ts'

export function waitingFolder(dataDir: string): string {
  return join(dataDir, 'log-copies')
}

export function openWaiting(dataDir: string): ObjectStore {
  return openFolderStore(waitingFolder(dataDir), { owns: isOwnFolder })
}

export function waitingIn(dataDir: string): Promise<readonly StoredObject[]> {
  return openWaiting(dataDir).list(logFolder)
}
