/** A thread that brings the write-ahead log into the file, a round each time it is told to. */
import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from '../connection.ts'
import type { ServedFile } from '../file/served-file.ts'

/**
 * `PASSIVE` copies while others write. `RESTART` has nobody write until all is copied and nobody
 * reads the log, so that it begins anew. `NOOP` looks how far it is, which the connection that
 * writes can only do between two transactions.
 */
export type CheckpointMode = 'PASSIVE' | 'RESTART' | 'NOOP'

/**
 * How many pages of the log were in the file when the round was over, and how many were not.
 * `isHeld`: somebody read or wrote who would not be waited for.
 */
export type CheckpointRound = { readonly copied: number; readonly left: number; readonly isHeld: boolean }

type CheckpointRow = { readonly busy: number; readonly log: number; readonly checkpointed: number }

/** So long a round waits for those who read or write. */
const waitMs = 100

const { path, joined } = workerData as ServedFile
const { database } = openConnection(path, { readOnly: false, checkpoints: false, joined })
database.exec(`PRAGMA busy_timeout = ${waitMs}`)

const checkpoint = (mode: CheckpointMode) => database.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as CheckpointRow

/** Undefined where it failed, as on a full disk. */
function round(mode: CheckpointMode): CheckpointRound | undefined {
  try {
    const { busy } = checkpoint(mode)
    const { log, checkpointed } = checkpoint('NOOP')
    return { copied: checkpointed, left: log - checkpointed, isHeld: busy > 0 }
  } catch {
    return undefined
  }
}

parentPort?.on('message', (mode: CheckpointMode | undefined) => {
  if (mode) parentPort?.postMessage(round(mode))
  else {
    database.close()
    parentPort?.close()
  }
})
