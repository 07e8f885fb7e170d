/** Each kind of database: its addresses, its passwords, two names of one database, its secret. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
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
    ['postgres:///shop?host=/run/pg&port=5433', 'postgres:///shop?host=/run/pg&port=5433'],
    ['postgres://%2Frun%2Fpg/shop', 'postgres:///shop?host=/run/pg&port=5432'],
    ['postgres://ann:s%40cr%2Fet@a,b:6432,[::1]/shop', 'postgres://a:5432,b:6432,[::1]:5432/shop'],
    ['postgres://ann:s@cret@db.example/shop', 'postgres://db.example:5432/shop'],
    ['postgres://db/shop?user=ann&password=secret&schema=books', 'postgres://db:5432/shop?schema=books'],
    ['postgres://db/shop?sslmode=no-verify', 'postgres://db:5432/shop'],
  ]
  for (const [address, expected] of described) {
    test(`${address || 'none'} is described without its password`, () => {
      assert.equal(describeDatabase(parse(address)), expected)
    })
  }

  const refused: readonly (readonly [string, object, RegExp])[] = [
    ['mysql://ann:secret@db/x', {}, /^DATABASE_URL must be sqlite:PATH or postgres:\/\/USER:PASSWORD@HOST:PORT\/NAME/],
    [
      'postgres://ann:secret@db:port/x',
      {},
      /^DATABASE_URL has a port that is none: it must be a number from 1 to 65535$/,
    ],
    [
      'postgres://db/x?sslmode=disabel',
      {},
      /^DATABASE_URL has sslmode=disabel, which is none; did you mean disable\?$/,
    ],
    [
      'postgres://db/x?sslmod=disable',
      {},
      /^DATABASE_URL has a parameter sslmod that is not known; did you mean sslmode\?$/,
    ],
    [
      'postgres://db/x?pool_timeout=secret',
      {},
      /^DATABASE_URL has a parameter pool_timeout that is not known; there are host, /,
    ],
    ['postgres://db/x?sslmode=disable&sslmode=require', {}, /^DATABASE_URL has sslmode twice$/],
    ['postgres://db/x?sslmode=verify-ca', {}, /^DATABASE_URL has sslmode=verify-ca, which needs sslrootcert/],
    [
      'postgres://db/x?sslrootcert=/no/such.pem',
      {},
      /^DATABASE_URL has an sslrootcert that cannot be read: ENOENT \/no\/such\.pem$/,
    ],
    [
      'postgres://db/x?target_session_attrs=master',
      {},
      /^DATABASE_URL has target_session_attrs=master, which is none; there are any, /,
    ],
    ['postgres://db/x?application_name=shop', {}, /^DATABASE_URL sets application_name, by which instances tell/],
    ['postgres://a,b,c/x?port=1,2', {}, /^DATABASE_URL has 2 ports for 3 hosts$/],
    [
      'postgres://db/x',
      { PGSSLMODE: 'requier' },
      /^DATABASE_URL has sslmode=requier, which is none; did you mean require\?$/,
    ],
    ...['ann:sec/secret', 'ann:secret?secret', 'ann:secret#secret', 'ann:1/secret', 'ann:se@cr/secret'].map(
      (user) =>
        [
          `postgres://${user}@db/x`,
          {},
          /^DATABASE_URL has a character in its password that must be encoded: /,
        ] as const,
    ),
    ['postgres://ann:secret%zz@db/x', {}, /^DATABASE_URL has a % that encodes nothing/],
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

  test('of instances that start together is whole for all of them, and leaves no part', async (t) => {
    const [rounds, threads] = [200, 4]
    const place = join(folder, 'together')
    const source = JSON.stringify(import.meta.resolve('../../src/storage/sqlite/file/secret-file.ts'))
    const work = `const { parentPort, workerData } = require('node:worker_threads')
      import(${source}).then(({ keepInFile }) => {
        const waiting = new Int32Array(workerData.shared)
        const kept = []
        for (let round = 0; round < ${rounds}; round += 1) {
          const all = (round + 1) * ${threads}
          if (Atomics.add(waiting, 0, 1) + 1 === all) Atomics.notify(waiting, 0)
          for (let now = Atomics.load(waiting, 0); now < all; now = Atomics.load(waiting, 0)) Atomics.wait(waiting, 0, now, 10)
          kept.push(keepInFile(\`${place}/\${round}/jwt-secret\`, String(workerData.thread).repeat(64)))
        }
        parentPort.postMessage(kept)
      })`
    const shared = new SharedArrayBuffer(4)
    const kept = await Promise.all(
      Array.from({ length: threads }, async (_, thread) => {
        const worker = new Worker(work, { eval: true, workerData: { shared, thread } })
        t.after(() => worker.terminate())
        const [message] = await once(worker, 'message')
        return message as string[]
      }),
    )
    for (const one of kept) assert.deepEqual(one, kept[0])
    assert.deepEqual(readdirSync(join(place, '0')), ['jwt-secret'])
  })

  test('on PostgreSQL stands in the database', async (t) => {
    const name = `secret_${randomBytes(6).toString('hex')}`
    const url = await makePostgresDatabase(sharedCluster(), name)
    t.after(() => dropPostgresDatabase(sharedCluster(), name))
    const database = parse(url, { DATABASE_CONNECTIONS: '1' })
    await (await openStorage(database, libraryCatalog, { heldMs: 0, making: 'empty' })).close()
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
