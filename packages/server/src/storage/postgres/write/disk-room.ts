/** Finds out whether a full disk has room again, by inserting a row and rolling it back. */
import { randomBytes } from 'node:crypto'
import type { ConnectionPools } from '../connect/pool.ts'
import { makeShareInFlight } from '../read/share-in-flight.ts'

/** More than a page of incompressible data, so that the table's file has to grow. */
const triedBytes = 24_000
const trySql = "INSERT INTO bindery_meta (name, value) VALUES ('room is tried', $1)"
/** Each try leaves a dead row for a vacuum. */
const tryEveryMs = 1_000

async function tryRoom({ connect, sessions }: ConnectionPools): Promise<void> {
  const client = await connect()
  try {
    await client.query('BEGIN')
    await client.query(trySql, [randomBytes(triedBytes).toString('base64')])
    await client.query('ROLLBACK')
    sessions.room.found()
  } catch {
    // the disk is still full, and requests report it
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * Returns a function that tries after writes found the disk full. It never rejects for a full disk.
 */
export function makeFindRoom(pools: ConnectionPools): () => Promise<void> {
  const share = makeShareInFlight()
  let triedMs = Number.NEGATIVE_INFINITY
  return async () => {
    if (!pools.sessions.room.isMissing() || performance.now() - triedMs < tryEveryMs) return
    await share('room', async () => {
      if (!pools.sessions.room.isMissing()) return
      triedMs = performance.now()
      await tryRoom(pools)
    })
  }
}
