/**
 * Connections that the server ended while they were idle, and of which this process has not yet
 * learned.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { dropPostgresDatabase, makePostgresDatabase, sharedCluster } from 'bindery-server/test'
import { type ConnectionPools, openPools } from '../../src/storage/postgres/connect/pool.ts'
import { runTransaction } from '../../src/storage/postgres/write/run-transaction.ts'
import { makeTransactionLines } from '../../src/storage/postgres/write/transaction-lines.ts'

const most = 4
const asked = { sql: 'SELECT 7', parameters: [] }
/** A process of its own ends all sessions of a database but its own. */
const endAll = `
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: process.argv[1] })
  await client.connect()
  const found = await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()')
  process.stdout.write(String(found.rowCount))
  await client.end()`

describe('connections that died unnoticed', () => {
  const name = `dead_${randomBytes(6).toString('hex')}`
  let url: string
  let pools: ConnectionPools
  before(async () => {
    url = await makePostgresDatabase(sharedCluster(), name)
    pools = openPools({ url, connectionsMax: most, prepare: true, onFault: () => undefined })
  })
  after(async () => {
    await pools.end()
    await dropPostgresDatabase(sharedCluster(), name)
  })

  /** Opens all connections, and ends them without a turn of this process's event loop. */
  async function killIdle(): Promise<void> {
    const { all } = pools.executorOf(pools.work)
    await Promise.all(Array.from({ length: most }, () => all({ sql: 'SELECT pg_sleep(0.2)', parameters: [] })))
    assert.equal(pools.work.idleCount, most)
    const ended = execFileSync(process.execPath, ['--input-type=module', '-e', endAll, url], { encoding: 'utf8' })
    assert.ok(Number(ended) >= most, ended)
  }

  it('fail no statement, however many there are', async () => {
    await killIdle()
    assert.deepEqual(await pools.executorOf(pools.work).first(asked), [7])
  })

  it('fail no transaction', async () => {
    await killIdle()
    const running = { pools, lines: makeTransactionLines(), onFault: () => undefined }
    assert.deepEqual(await runTransaction(running, async ({ first }) => first(asked)), [7])
  })
})
