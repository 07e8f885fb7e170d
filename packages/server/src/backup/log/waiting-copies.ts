/** Copies of a log that wait beside the database for a bucket: where they lie, and what is there. */
import { join } from 'node:path'
import { openFolder } from '../places/folder-place.ts'
import type { Kept, Place } from '../places/place.ts'
import { logFolder } from './log-names.ts'

export function waitingFolder(dataDir: string): string {
  return join(dataDir, 'log-copies')
}

export function openWaiting(dataDir: string): Place {
  return openFolder(waitingFolder(dataDir))
}

export function waitingIn(dataDir: string): Promise<readonly Kept[]> {
  return openWaiting(dataDir).list(logFolder)
}
