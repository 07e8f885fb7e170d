/**
 * `bindery doctor` on PostgreSQL: locks and long transactions of other programs, a schema of a
 * later version, and settings of the server.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import {
  databaseOf,
  onPostgres,
  removeDatabase,
  removeFolder,
  startService,
  temporaryFolder,
} from '../../src/testing/index.ts'
import { runSql } from '../../src/testing/postgres.ts'
import { startCable } from '../helpers/cable.ts'
import { until } from '../helpers/until.ts'
import { findingsOf, laterWard, textOf, ward } from './ward.ts'

const skip = onPostgres ? false : 'it examines PostgreSQL'
const folder = temporaryFolder()
let url = ''

type Damage = {
  readonly name: string
  readonly sql: string
  readonly undo?: string
  readonly says: RegExp
  readonly deep?: true
}

/** Each is undone before the next, or hurts nothing that the next looks at. */
const damages: readonly Damage[] = [
  {
    name: 'an index that somebody dropped',
    sql: 'DROP INDEX volumes_title_id_idx',
    undo: 'CREATE INDEX volumes_title_id_idx ON volumes (title, id)',
    says: /bad indexes \| volumes\.volumes_title_id_idx \| is not there.*psql "\$DATABASE_URL" -c 'CREATE INDEX "volumes_title_id_idx"/,
  },
  {
    name: 'an index that was not finished',
    sql: "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'volumes_title_id_idx'::regclass",
    undo: "UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'volumes_title_id_idx'::regclass",
    says: /bad indexes \| volumes_title_id_idx \| it was not finished.*REINDEX INDEX CONCURRENTLY/,
  },
  {
    name: 'a number that is kept wrong',
    sql: "SELECT setval(pg_get_serial_sequence('volumes', 'id'), 1)",
    undo: "SELECT setval(pg_get_serial_sequence('volumes', 'id'), 500)",
    says: /bad kept numbers \| volumes \| .*kept as 1, and there is 3.*setval/,
  },
  {
    name: 'a counter at its end',
    sql: "SELECT setval(pg_get_serial_sequence('volumes', 'id'), 9007199254740991)",
    undo: "SELECT setval(pg_get_serial_sequence('volumes', 'id'), 500)",
    says: /bad kept numbers \| volumes \| .*no id is left \| .*setval\(.*, 3\)/,
  },
  {
    name: 'an id that no counter has given',
    sql: "UPDATE volumes SET id = -5 WHERE title = 'a'",
    undo: "UPDATE volumes SET id = 1 WHERE title = 'a'",
    says: /warn kept numbers \| volumes \| there is a record with the id -5 \| export the records/,
  },
  {
    name: 'a trigger that is off',
    sql: 'ALTER TABLE racks DISABLE TRIGGER bindery_written_past',
    undo: 'ALTER TABLE racks ENABLE TRIGGER bindery_written_past',
    says: /warn triggers \| racks \| .*restart one instance/,
  },
  {
    name: 'a row of the change log that is gone',
    sql: "DELETE FROM bindery_changes WHERE resource = 'rack' AND version = 2",
    says: /bad change log .*rack .*the log has no version 2.*Restart every server/,
  },
  {
    name: 'the newest row of the change log that is gone',
    sql: 'DELETE FROM bindery_changes WHERE sequence = (SELECT max(sequence) FROM bindery_changes)',
    says: /bad change log .*something else deleted its newest rows.*let nothing else write to it/,
  },
  {
    name: 'a reference that leads nowhere',
    sql: "SET session_replication_role = replica; DELETE FROM racks WHERE name = 'first'",
    says: /bad references \| volumes\.rack_id \| 3 rows refer.*DELETE FROM "volumes"/,
  },
  {
    name: 'a database that refuses writes',
    sql: `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`,
    undo: `BEGIN READ WRITE; DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET default_transaction_read_only', current_database()); END $$; COMMIT`,
    says: /bad writes .*every write is refused.*default_transaction_read_only=off/,
  },
  {
    name: 'a copy that was interrupted',
    sql: `INSERT INTO bindery_meta VALUES ('copy', '{"from":"sqlite:/old.db","begunAt":"2026-01-01T00:00:00.000Z"}')`,
    undo: "DELETE FROM bindery_meta WHERE name = 'copy'",
    says: /bad unfinished copy .*sqlite:\/old\.db/,
  },
  {
    name: 'a column that somebody dropped',
    sql: 'ALTER TABLE volumes DROP COLUMN lent',
    undo: 'ALTER TABLE volumes ADD COLUMN lent boolean NOT NULL DEFAULT false',
    says: /bad schema \| volumes \| a column is not there.*lent/,
  },
]

before(async () => {
  if (skip) return
  const service = await startService(ward, { env: { DATA_DIR: folder, SLOW_MS: 'off' } })
  url = (await databaseOf(folder)).DATABASE_URL as string
  const rack = await service.ask('POST', '/api/v1/racks', { body: { name: 'first' } })
  for (const title of ['a', 'b', 'c'])
    await service.ask('POST', '/api/v1/volumes', { body: { title, rackId: rack.body.id } })
  const moved = await service.ask('POST', '/api/v1/racks', { body: { name: 'moving' } })
  for (const name of ['moved', 'moved again'])
    await service.ask('PATCH', `/api/v1/racks/${moved.body.id}`, { body: { name } })
  await service.stop()
  const backup = JSON.stringify({ at: new Date().toISOString(), place: '/backups', name: 'one', bytes: 9 })
  await runSql(url, `INSERT INTO bindery_meta VALUES ('last backup', '${backup}')`)
})
after(async () => {
  await removeDatabase(folder)
  removeFolder(folder)
})

const env = () => ({ DATA_DIR: folder, DATABASE_URL: url, JWT_SECRET: 'kJ8#nR2$vB6^mQ9&xL4*wT7!zP3@cF5%' })

test('nothing is wrong', { skip }, async () => {
  const found = await findingsOf({ env: env(), deep: true })
  // The cluster of the tests runs without fsync, which an examination must say.
  const wrong = found.filter(({ level, check }) => level !== 'ok' && check !== 'durability')
  assert.deepEqual(wrong.map(textOf), [])
  assert.ok(found.some(({ check, level }) => check === 'durability' && level === 'warn'))
})

for (const { name, sql, undo, says, deep = false } of damages)
  test(name, { skip }, async () => {
    await runSql(url, sql)
    try {
      const wrong = (await findingsOf({ env: env(), deep })).filter(({ level }) => level !== 'ok').map(textOf)
      assert.ok(
        wrong.some((line) => says.test(line)),
        wrong.join('\n'),
      )
    } finally {
      if (undo) await runSql(url, undo)
    }
  })

test('who holds a lock, and what an examination leaves', { skip }, async (t) => {
  const locksOf = async (key: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`SELECT pg_advisory_lock(${key})`)
    const found = (await findingsOf({ env: env() })).filter(({ check }) => check === 'locks').map(textOf)
    await client.end()
    return found
  }
  assert.deepEqual(await locksOf('42'), [], 'a lock of another program')
  assert.deepEqual(await locksOf('1, 1651076708'), [], 'one of two numbers')
  assert.match((await locksOf('1651076708')).join(), /a migration holds its lock/)

  // A server that takes the connection and refuses its settings
  const garble = (bytes: Buffer) =>
    Buffer.from(bytes.toString('latin1').replace('SET application_name', 'SXT application_name'), 'latin1')
  const cable = await startCable(t, url, garble)
  const found = (await findingsOf({ env: { ...env(), DATABASE_URL: cable.url } })).map(textOf)
  assert.ok(
    found.some((line) => /bad connection .*cannot be reached: syntax error/.test(line)),
    found.join('\n'),
  )
  const left = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%SXT app%'"
  await until(async () => (await runSql(url, left)).length === 1, 'this one alone is left')
})

test('a transaction that holds back the change log is named', { skip }, async () => {
  const client = new pg.Client({ connectionString: url, application_name: 'nightly report' })
  await client.connect()
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  const held = async () => (await findingsOf({ env: env() })).filter(({ check }) => check === 'change log').map(textOf)
  try {
    await client.query('BEGIN')
    await client.query('CREATE TABLE elsewhere (x int)')
    let found: string[] = []
    // It is named once it is open for longer than a write takes
    await until(async () => {
      found = await held()
      return found.some((line) => line.startsWith('warn'))
    }, 'the transaction is named')
    assert.match(
      found.join('\n'),
      new RegExp(
        `warn change log .*open for \\d+ s: process ${rows[0].pid}, nightly report, user \\w+, idle in transaction; the change log is held back.* SELECT pg_terminate_backend\\(${rows[0].pid}\\)`,
      ),
    )
  } finally {
    await client.end()
  }
})

test('a schema of a later version', { skip }, async () => {
  const later = await startService(laterWard, { env: { DATA_DIR: folder, DATABASE_URL: url } })
  await later.service.stop()
  const wrong = (await findingsOf({ env: env() })).map(textOf)
  assert.ok(
    wrong.some((line) => /bad schema \| volumes\.colour \| .*newer version/.test(line)),
    wrong.join('\n'),
  )
})
