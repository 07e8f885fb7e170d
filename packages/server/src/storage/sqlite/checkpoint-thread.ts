/** A thread that brings the write-ahead log into the file, a round each time it is told to. */
import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from './connection.ts'

/** Pages in the log, and how many of them are in the file. */
export type Round = { readonly pages: number; readonly done: number }

const connection = openConnection(workerData as string, { readOnly: false, checkpoints: false })
const checkpoint = connection.database.prepare('PRAGMA wal_checkpoint(PASSIVE)')

/** Undefined where it failed, as on a full disk. */
function round(): Round | undefined {
  try {
    const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number }
    return { pages: log, done: checkpointed }
  } catch {
    return undefined
  }
}

parentPort?.on('message', (isWanted: boolean) => {
  if (isWanted) parentPort?.postMessage(round())
  else {
    connection.database.close()
    parentPort?.close()
  }
})
