/** A thread that checkpoints the write-ahead log, one round for each message. */
import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from '../connection.ts'
import type { ServedFile } from '../file/served-file.ts'

/**
 * `PASSIVE` copies while others write. `RESTART` blocks writers until all is copied and no reader
 * uses the log, so that it restarts. `NOOP` only reads the state; the writing connection can do so
 * only between two transactions.
 */
export type CheckpointMode = 'PASSIVE' | 'RESTART' | 'NOOP'

/**
 * The pages of the log that were in the file after the round, and those that were not. `isHeld`:
 * another connection was reading or writing, and the round did not wait for it.
 */
export type CheckpointRound = { readonly copied: number; readonly left: number; readonly isHeld: boolean }

type CheckpointRow = { readonly busy: number; readonly log: number; readonly checkpointed: number }

/** How long a round waits for readers or writers. */
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
