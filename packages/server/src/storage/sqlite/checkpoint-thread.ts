/** A thread that brings the write-ahead log into the file, a round each time it is told to. */
import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from './connection.ts'

/** `PASSIVE` copies while others write. `RESTART` has nobody write until all is copied and nobody reads the log, so that it begins anew. */
export type Mode = 'PASSIVE' | 'RESTART'

/** So long a round waits for those who read or write. */
const waitMs = 100

const { database } = openConnection(workerData as string, { readOnly: false, checkpoints: false })
database.exec(`PRAGMA busy_timeout = ${waitMs}`)

/** Whether somebody read or wrote who would not be waited for; also where it failed, as on a full disk. */
function isHeld(mode: Mode): boolean {
  try {
    const { busy } = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as { busy: number }
    return busy > 0
  } catch {
    return true
  }
}

parentPort?.on('message', (mode: Mode | undefined) => {
  if (mode) parentPort?.postMessage(isHeld(mode))
  else {
    database.close()
    parentPort?.close()
  }
})
