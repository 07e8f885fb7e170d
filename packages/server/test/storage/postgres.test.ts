/** Runs the storage suites on PostgreSQL. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { dropPostgresDatabase, makePostgresDatabase, runSql, sharedCluster } from 'bindery-server/test'
import pg from 'pg'
import { ApiError } from '../../src/errors.ts'
import { defineResource, integerId, text } from '../../src/index.ts'
import { type Catalog, makeCatalog } from '../../src/resource/catalog.ts'
import { always } from '../../src/resource/condition.ts'
import { openPostgres } from '../../src/storage/postgres/store.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { changesSuite } from './changes-suite.ts'
import { effectsSuite } from './effects-suite.ts'
import { jobsSuite } from './jobs-suite.ts'
import { keptLogSuite } from './kept-log-suite.ts'
import { type Database, fill, idOf, libraryCatalog, tester, volume, volumeOf } from './library.ts'
import { loggedValuesSuite } from './logged-values-suite.ts'
import { migrationSuite } from './migration-suite.ts'
import { namesSuite } from './names-suite.ts'
import { requiredSuite } from './required-suite.ts'
import { readUntil } from './settled.ts'
import { storageSuite } from './suite.ts'
import { writingSuite } from './writing-suite.ts'

async function makeDatabase(): Promise<Database> {
  const name = `storage_${randomBytes(6).toString('hex')}`
  const url = await makePostgresDatabase(sharedCluster(), name)
  return {
    open: (catalog, options) =>
      openPostgres({ url, connectionsMax: 4, prepare: true, totalsBytesMax: 1_000_000, ...options }, catalog),
    async writePast(sql) {
      await runSql(url, sql)
    },
    remove: () => dropPostgresDatabase(sharedCluster(), name),
  }
}

storageSuite('PostgreSQL', makeDatabase)
changesSuite('PostgreSQL', makeDatabase)
keptLogSuite('PostgreSQL', makeDatabase)
loggedValuesSuite('PostgreSQL', makeDatabase)
writingSuite('PostgreSQL', makeDatabase)
migrationSuite('PostgreSQL', makeDatabase)
requiredSuite('PostgreSQL', makeDatabase)
namesSuite('PostgreSQL', makeDatabase)
effectsSuite('PostgreSQL', makeDatabase)
jobsSuite('PostgreSQL', makeDatabase)

test('an open transaction is not skipped, and does not delay other changes', async () => {
  const database = await makeDatabase()
  const storage = await database.open(libraryCatalog)
  await fill(storage, [{}])
  const other = await database.open(libraryCatalog)
  const seen: unknown[] = []
  other.changes.follow({
    apply: (changes) => void seen.push(...changes.flatMap(({ records }) => records.map(({ id }) => id))),
    reset: () => void seen.push('reset'),
  })
  const begin = (await readUntil(other.changes, null, ({ length }) => length >= 3)).place
  const inserted = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const open = storage.transaction(tester, async (transaction) => {
    await transaction.insert(volume, volumeOf(10)) // its number is drawn first
    inserted.resolve()
    await finish.promise
  })
  await Promise.race([inserted.promise, open])
  await storage.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(11)))
  await other.changes.catchUp()
  assert.deepEqual(seen, [idOf(11)], 'readers in memory see it at once')
  assert.deepEqual((await other.changes.read(begin, 100)).changes, [], 'a reader with a place waits')
  finish.resolve()
  await open
  await other.changes.catchUp()
  await other.changes.catchUp()
  assert.deepEqual(seen, [idOf(11), idOf(10)])
  const { changes } = await readUntil(other.changes, begin, ({ length }) => length >= 2)
  assert.deepEqual(changes.flatMap(({ records }) => records.map(({ id }) => id)).toSorted(), [idOf(10), idOf(11)])
  await Promise.all([storage.close(), other.close()])
  await database.remove()
})

test('an instance starts while transactions are open that have written', async (t) => {
  const database = await makeDatabase()
  const kept = defineResource({
    name: 'cup',
    path: '/cups',
    access: {},
    list: { style: 'page' },
    changes: true,
    fields: { id: integerId(), label: text() },
  })
  const catalog = makeCatalog([kept])
  const storage = await database.open(catalog)
  const finish = Promise.withResolvers<void>()
  const inserted = Promise.withResolvers<void>()
  const open = storage.transaction(tester, async (transaction) => {
    await transaction.insert(catalog.get('cup'), { label: 'one' })
    inserted.resolve()
    await finish.promise
  })
  t.after(async () => {
    finish.resolve()
    await open
    await storage.close()
    await database.remove()
  })
  await Promise.race([inserted.promise, open])
  const other = await database.open(catalog)
  await other.close()
})

test('a user who may not make tables, or works in no schema, is told in a line', async (t) => {
  const id = randomBytes(6).toString('hex')
  const [name, role] = [`storage_${id}`, `guest_${id}`]
  const url = await makePostgresDatabase(sharedCluster(), name)
  await runSql(url, `CREATE ROLE ${role} LOGIN PASSWORD '${role}'`)
  t.after(async () => {
    await dropPostgresDatabase(sharedCluster(), name)
    await runSql(sharedCluster(), `DROP ROLE ${role}`)
  })
  const own = new URL(url)
  own.username = own.password = role
  const open = () =>
    openPostgres({ url: own.href, connectionsMax: 1, prepare: true, totalsBytesMax: 1_000_000 }, libraryCatalog)
  const advice = new RegExp(
    `permission denied for schema public\\. Let it own .*GRANT CREATE ON SCHEMA public TO ${role}$`,
  )
  await assert.rejects(open, { name: 'StartError', message: advice })
  await runSql(url, `ALTER ROLE ${role} SET search_path = 'elsewhere'`)
  await assert.rejects(open, { name: 'StartError', message: /^The search_path of the user .* names no schema/ })
  await runSql(url, `ALTER ROLE ${role} RESET search_path; GRANT CREATE ON SCHEMA public TO ${role}`)
  await (await open()).close()
})

/** Makes statements of this process fail before they are sent. */
function failStatements(t: TestContext, sql: RegExp, isFailing: () => boolean): void {
  const { query } = pg.Client.prototype
  t.after(() => {
    pg.Client.prototype.query = query
  })
  pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
    if (typeof asked[0] === 'string' && sql.test(asked[0]) && isFailing())
      return Promise.reject(new Error('a fault of the test'))
    return (query as (...all: unknown[]) => unknown).apply(this, asked)
  } as typeof query
}

for (const [name, sql] of Object.entries({ begin: /^BEGIN /, commit: /^COMMIT$/, rollback: /^ROLLBACK$/ }))
  test(`statements around a write that fail (${name}): it is refused, and later writes go on`, async (t) => {
    const database = await makeDatabase()
    const storage = await database.open(libraryCatalog)
    let isFailing = false
    t.after(async () => {
      isFailing = false
      await storage.close()
      await database.remove()
    })
    await fill(storage, [{}])
    isFailing = true
    failStatements(t, sql, () => isFailing)
    const add = (n: number) => storage.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(n)))
    const fail = async () => {
      const asked = storage.transaction(tester, async (transaction) => {
        await transaction.insert(volume, volumeOf(99))
        throw new Error('its own')
      })
      await asked.catch((error: Error) => assert.match(error.message, /^(its own|The database cannot be written.*)$/))
    }
    for (let n = 10; n < 20; n += 1) {
      if (name === 'rollback') await Promise.all([fail(), fail(), add(n)])
      else
        await assert.rejects(
          add(n),
          (error) =>
            error instanceof ApiError &&
            error.code === 'unavailable' &&
            error.message === 'The database cannot be written, nothing was changed',
        )
    }
    isFailing = false
    await Promise.all([20, 21, 22, 23, 24].map(add)) // more than there are connections
    assert.equal(await storage.count(volume, always), 1 + 5 + (name === 'rollback' ? 10 : 0))
  })

test('a text that is too long for an index is named before anything changes, and refused later', async () => {
  const database = await makeDatabase()
  const pages = (sortable: 'head'[]) =>
    makeCatalog([
      defineResource({
        name: 'page',
        path: '/pages',
        fields: { id: integerId(), head: text({ required: true, maxLength: 5_000 }) },
        list: { style: 'page', sortable, defaultSort: 'id', filters: {} },
        access: {},
      }),
    ])
  // Ideographs that compress badly: three bytes each
  const heads = Array.from({ length: 1_500 }, (_, i) =>
    String.fromCodePoint(0x4e00 + ((i * 7_919 + i * i * 31) % 20_000)),
  )
  const head = heads.join('')
  const insert = (catalog: Catalog, value: string) => (storage: Storage) =>
    storage.transaction(tester, (transaction) =>
      transaction.insert(catalog.get('page'), { id: undefined, head: value, version: 1 } as never),
    )
  const before = pages([])
  const first = await database.open(before)
  await insert(before, 'short')(first)
  await insert(before, head)(first)
  await first.close()
  const after = pages(['head'])
  await assert.rejects(database.open(after), {
    name: 'StartError',
    message:
      /page: field "head": pages\.head gets an index, and there are texts that are too long for one: 1 record \(2\); shorten them/,
  })
  await database.writePast("UPDATE pages SET head = 'short too' WHERE id = 2")
  const second = await database.open(after)
  await assert.rejects(insert(after, head)(second), {
    code: 'bad-request',
    message: 'A text is too long for a field that is sorted by or unique',
  })
  await second.close()
  await database.remove()
})
