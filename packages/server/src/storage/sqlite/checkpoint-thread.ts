/** A thread that brings the write-ahead log into the file, a round each time it is told to. */
import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from './connection.ts'

/**
 * `isHeld`: somebody reads an older state, so that not all of what the round began with is in the file. `left`: the pages that are not in
 * the file, with those that were written meanwhile.
 */
export type Round = { readonly isHeld: boolean; readonly left: number }

const connection = openConnection(workerData as string, { readOnly: false, checkpoints: false })
type Seen = { readonly busy: number; readonly log: number; readonly checkpointed: number }
const inMode = (mode: string) => {
  const statement = connection.database.prepare(`PRAGMA wal_checkpoint(${mode})`)
  return () => statement.get() as Seen
}
const [checkpoint, look] = [inMode('PASSIVE'), inMode('NOOP')]

/** Undefined where it failed, as on a full disk. */
function round(): Round | undefined {
  try {
    const done = checkpoint()
    const { log, checkpointed } = look()
    return { isHeld: done.busy > 0 || done.checkpointed < done.log, left: log - checkpointed }
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
