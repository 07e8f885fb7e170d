/**
 * The folder of a run for the data of its tests, in memory where the system has such a place.
 * Tests make hundreds of databases that live for seconds, and each waits for the disk many times.
 * They kill processes and never the machine, so they see the same.
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'

/** Linux keeps it in memory; containers often have little of it. */
const place = '/dev/shm/'
/** `npm test` takes less than 1 GB at a time. */
const bytesMin = 6e9

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(place)
    return Math.min(bavail * bsize, process.availableMemory()) >= bytesMin
  } catch {
    return false
  }
}

/** `temporaryFolder` makes its folders in it. It is removed when this process ends. */
export function useMemoryFolder(): void {
  if (!hasRoom()) return
  const folder = mkdtempSync(`${place}bindery-tests-`)
  chmodSync(folder, 0o711) // PostgreSQL runs as another user, who must be able to enter it
  process.env.BINDERY_TEST_FOLDERS = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
}
