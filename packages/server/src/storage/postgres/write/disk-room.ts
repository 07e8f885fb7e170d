/**
 * After writes have found no room on the disk: whether there is some again, tried by a row that is
 * taken back.
 */
import { randomBytes } from 'node:crypto'
import type { ConnectionPools } from '../connect/pool.ts'
import { makeShareInFlight } from '../read/share-in-flight.ts'

/**
 * More than a page, and nothing that could be compressed, so that the file of the table has to
 * grow.
 */
const triedBytes = 24_000
const trySql = "INSERT INTO bindery_meta (name, value) VALUES ('room is tried', $1)"
/** Each try leaves what a vacuum has to clear away. */
const tryEveryMs = 1_000

async function tryRoom({ connect, sessions }: ConnectionPools): Promise<void> {
  const client = await connect()
  try {
    await client.query('BEGIN')
    await client.query(trySql, [randomBytes(triedBytes).toString('base64')])
    await client.query('ROLLBACK')
    sessions.room.found()
  } catch {
    // there is none, which requests say
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Returns what looks, where writes found no room. It never rejects for the lack of it. */
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
