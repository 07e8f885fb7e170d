/** What each kind of database knows about itself: which addresses are its own, passwords, the same database by two names, its secret. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  removeFolder,
  runSql,
  sharedCluster,
  temporaryFolder,
} from 'bindery-server/test'
import { readConfig, variables } from '../../src/config.ts'
import { ApiError, StartError } from '../../src/errors.ts'
import {
  databaseKinds,
  describeDatabase,
  isSameDatabase,
  keepSecret,
  migrateStorage,
  openStorage,
  parseDatabase,
} from '../../src/storage/open.ts'
import { openConnection } from '../../src/storage/sqlite/connection.ts'
import { libraryCatalog } from './library.ts'

const folder = temporaryFolder()
after(() => removeFolder(folder))
const parse = (address: string, env = {}) => parseDatabase({ ...env, DATABASE_URL: address }, folder)

describe('addresses', () => {
  const described: readonly (readonly [string, string])[] = [
    ['', `sqlite:${folder}/bindery.db`],
    ['sqlite:/srv/a.db', 'sqlite:/srv/a.db'],
    ['sqlite:///srv/a.db', 'sqlite:/srv/a.db'],
    ['postgres://ann:secret@db.example/shop', 'postgres://db.example:5432/shop'],
    ['postgresql://ann:secret@db.example:6432/shop', 'postgres://db.example:6432/shop'],
    ['postgres:///shop?host=/run/pg&port=5433', 'postgres:///run/pg:5433/shop'],
  ]
  for (const [address, expected] of described) {
    test(`${address || 'none'} is described without its password`, () => {
      assert.equal(describeDatabase(parse(address)), expected)
    })
  }

  const refused: readonly (readonly [string, object, RegExp])[] = [
    ['mysql://ann:secret@db/x', {}, /^DATABASE_URL must be sqlite:PATH or postgres:\/\/USER:PASSWORD@HOST:PORT\/NAME/],
    ['postgres://ann:secret@db:port/x', {}, /^DATABASE_URL must be sqlite:PATH or postgres:/],
    ['sqlite:', {}, /^DATABASE_URL must be sqlite:PATH or postgres:/],
    ['sqlite::memory:', {}, /^DATABASE_URL must name a file/],
    ['postgres://db/x', { DATABASE_CONNECTIONS: '0' }, /^DATABASE_CONNECTIONS must be a number from 1 to 1000, not 0$/],
    ['postgres://db/x', { DATABASE_PREPARE: 'no' }, /^DATABASE_PREPARE must be one of true, false, not no$/],
  ]
  for (const [address, env, message] of refused) {
    test(`${address} ${JSON.stringify(env)} stops the start with one line that holds no password`, () => {
      assert.throws(
        () => readConfig({ ...env, DATABASE_URL: address }),
        (error) => error instanceof StartError && message.test(error.message) && !error.message.includes('secret'),
      )
    })
  }

  test('one file or one server by two names is the same database', () => {
    const path = join(folder, 'one.db')
    writeFileSync(path, '')
    symlinkSync(path, join(folder, 'two.db'))
    assert.ok(isSameDatabase(parse(`sqlite:${path}`), parse(`sqlite:${join(folder, 'two.db')}`)))
    assert.ok(!isSameDatabase(parse(`sqlite:${path}`), parse(`sqlite:${join(folder, 'three.db')}`)))
    assert.ok(isSameDatabase(parse('postgres://a:b@localhost/x'), parse('postgres://c@127.0.0.1:5432/x')))
    assert.ok(!isSameDatabase(parse('postgres://localhost/x'), parse('postgres://localhost/y')))
    assert.ok(!isSameDatabase(parse(`sqlite:${path}`), parse('postgres://localhost/x')))
  })

  test('the example of each kind is its own, and --help lists its variables', () => {
    const listed = variables.map(({ name }) => name)
    assert.equal(new Set(listed).size, listed.length)
    for (const kind of databaseKinds) {
      assert.equal(parse(kind.example).kind, kind)
      for (const { name } of kind.variables) assert.ok(listed.includes(name), name)
    }
  })
})

describe('the generated secret', () => {
  const drawn = () => randomBytes(48).toString('base64url')

  test('on SQLite stands in a file of the data folder that its owner alone can read', async () => {
    const database = parseDatabase({ DATABASE_URL: `sqlite:${join(folder, 'secret.db')}` }, join(folder, 'data'))
    const first = drawn()
    assert.deepEqual([await keepSecret(database, first), await keepSecret(database, drawn())], [first, first])
    assert.equal(statSync(join(folder, 'data', 'jwt-secret')).mode & 0o777, 0o600)
    mkdirSync(join(folder, 'weak'))
    writeFileSync(join(folder, 'weak', 'jwt-secret'), 'short')
    const weak = parseDatabase({}, join(folder, 'weak'))
    await assert.rejects(keepSecret(weak, drawn()), /jwt-secret holds no secret of 32 bytes/)
  })

  test('on PostgreSQL stands in the database', async (t) => {
    const name = `secret_${randomBytes(6).toString('hex')}`
    const url = await makePostgresDatabase(sharedCluster(), name)
    t.after(() => dropPostgresDatabase(sharedCluster(), name))
    const database = parse(url, { DATABASE_CONNECTIONS: '1' })
    await (await openStorage(database, libraryCatalog, { heldMs: 0 })).close()
    const first = drawn()
    const all = [first, drawn(), drawn()].map((secret) => () => keepSecret(database, secret))
    assert.equal(await all[0]?.(), first)
    assert.deepEqual(await Promise.all(all.map((keep) => keep())), [first, first, first])
    const stored = await runSql(url, "SELECT value FROM bindery_meta WHERE name = 'jwt secret'")
    assert.deepEqual(stored, [{ value: first }])
  })
})

test('a file that another process is writing to is busy, in words for the caller, and not an error of the driver', async () => {
  const path = join(folder, 'busy.db')
  const database = parse(`sqlite:${path}`)
  await migrateStorage(database, libraryCatalog, { dryRun: false })
  const [one, other] = [openConnection(path, { readOnly: false }), openConnection(path, { readOnly: false })]
  other.database.exec('PRAGMA busy_timeout = 0')
  one.database.exec('BEGIN IMMEDIATE')
  assert.throws(
    () => other.run({ sql: 'DELETE FROM shelves', parameters: [] }),
    (error) => error instanceof ApiError && error.code === 'unavailable' && /busy, try again/.test(error.message),
  )
  one.database.close()
  other.database.close()
})
