/**
 * A database of an earlier version, on both kinds. Its stored model gives integer ids and SQLite's
 * row number the type `rowid`. It needs no migration, and takes later changes like any other
 * database.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  removeFolder,
  runSql,
  sharedCluster,
  temporaryFolder,
} from 'bindery-server/test'
import { StartError } from '../../src/errors.ts'
import { defineResource, id, integer, integerId, reference, text } from '../../src/index.ts'
import { type Catalog, makeCatalog } from '../../src/resource/catalog.ts'
import { always, equal } from '../../src/resource/condition.ts'
import type { Fields } from '../../src/resource/fields/field.ts'
import type { ConfiguredDatabase } from '../../src/storage/database-kind.ts'
import { migrateStorage, openStorage, parseDatabase } from '../../src/storage/open.ts'
import { idOf, searching, tester } from './library.ts'

/** The model as it was in `bindery_meta` after a start with `first`. */
const earlierModel = JSON.stringify(JSON.parse(readFileSync(new URL('./earlier-model.json', import.meta.url), 'utf8')))

const bin = defineResource({
  name: 'bin',
  fields: { id: integerId(), label: text({ required: true, unique: true }) },
  access: {},
})
function declare(fields: Fields): Catalog {
  const part = defineResource({ name: 'part', fields, list: { style: 'page', search: ['name'] } as never, access: {} })
  return makeCatalog([bin, part as never])
}
const firstFields = { id: id(), binId: reference('bin'), name: text({ required: true }) }
const first = declare(firstFields)

type Place = {
  readonly database: ConfiguredDatabase
  remember(model: string): Promise<void>
  remembered(): Promise<string>
  run(sql: string): Promise<void>
}

async function makePlace(t: TestContext, kind: string): Promise<Place> {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const select = "SELECT value FROM bindery_meta WHERE name = 'model'"
  const update = (model: string) => `UPDATE bindery_meta SET value = '${model}' WHERE name = 'model'`
  if (kind === 'sqlite') {
    const path = join(folder, 'earlier.db')
    const ask = <T>(work: (database: DatabaseSync) => T): T => {
      const database = new DatabaseSync(path)
      try {
        return work(database)
      } finally {
        database.close()
      }
    }
    return {
      database: parseDatabase({ DATABASE_URL: `sqlite:${path}` }, folder),
      remember: async (model) => ask((database) => database.exec(update(model))),
      remembered: async () => ask((database) => String(database.prepare(select).get()?.value)),
      run: async (statement) => ask((database) => database.exec(statement)),
    }
  }
  const name = `earlier_${randomBytes(6).toString('hex')}`
  const url = await makePostgresDatabase(sharedCluster(), name)
  t.after(() => dropPostgresDatabase(sharedCluster(), name))
  return {
    database: parseDatabase({ DATABASE_URL: url, DATABASE_CONNECTIONS: '2' }, folder),
    remember: async (model) => void (await runSql(url, update(model))),
    remembered: async () => String((await runSql(url, select))[0]?.value),
    run: async (statement) => void (await runSql(url, statement)),
  }
}

/** A database with two bins and two parts, and the model in the words of the earlier version. */
async function makeEarlier(t: TestContext, kind: string): Promise<Place> {
  const place = await makePlace(t, kind)
  const storage = await openStorage(place.database, first, { heldMs: 0, making: 'empty' })
  await storage.transaction(tester, async (transaction) => {
    for (const label of ['A', 'B']) await transaction.insert(first.get('bin'), { label })
    for (const n of [1, 2]) await transaction.insert(first.get('part'), { id: idOf(n), binId: n, name: `Part ${n}` })
  })
  await storage.close()
  await place.remember(earlierModel)
  return place
}

for (const kind of ['sqlite', 'postgres']) {
  describe(`a database of an earlier version on ${kind}`, () => {
    test('fits, and stays as it is: the earlier version can go back to it', async (t) => {
      const { database, remembered } = await makeEarlier(t, kind)
      assert.deepEqual(await migrateStorage(database, first, { dryRun: true }), [])
      assert.deepEqual(await migrateStorage(database, first, { dryRun: false }), [])
      const storage = await openStorage(database, first, { heldMs: 0, making: 'empty' })
      assert.equal(await storage.count(first.get('part'), searching('part')), 2)
      const made = await storage.transaction(tester, (transaction) =>
        transaction.insert(first.get('bin'), { label: 'C' }),
      )
      assert.equal(made.id, 3)
      await storage.close()
      assert.equal(await remembered(), earlierModel)
    })

    test('grows, and keeps everything', async (t) => {
      const { database, remembered } = await makeEarlier(t, kind)
      const grown = declare({ ...firstFields, size: integer() })
      const steps = await migrateStorage(database, grown, { dryRun: true })
      assert.deepEqual(
        steps.map(({ kind: step }) => step),
        ['add-column'],
      )
      for (const _again of [1, 2]) {
        const storage = await openStorage(database, grown, { heldMs: 0, making: 'empty' })
        const found = await storage.find(grown.get('part'), equal('id', idOf(2)))
        assert.deepEqual(found?.row, { id: idOf(2), binId: 2, name: 'Part 2', size: null, version: 1 })
        assert.equal(await storage.count(grown.get('bin'), always), 2)
        assert.equal(await storage.count(grown.get('part'), searching('2')), 1)
        await storage.close()
      }
      assert.doesNotMatch(await remembered(), /rowid|row_id/)
    })

    test('compares unique texts as names from now on, and finds those that it had', async (t) => {
      const { database, run } = await makeEarlier(t, kind)
      const bins = first.get('bin')
      const insert = async (label: string) => {
        const storage = await openStorage(database, first, { heldMs: 0, making: 'empty' })
        try {
          await storage.transaction(tester, (transaction) => transaction.insert(bins, { label }))
        } finally {
          await storage.close()
        }
      }
      await insert('Straße')
      // As an earlier version left it: folded by its rule, without the name of the rule.
      await run("UPDATE bins SET label_folded = 'strasse' WHERE label = 'Straße'")
      await run(
        'UPDATE bindery_meta SET value = replace(value, \'"fold":"name"\', \'"fold":null\') WHERE name = \'meanings\'',
      )
      const steps = await migrateStorage(database, first, { dryRun: true })
      assert.deepEqual(
        steps.map(({ kind: step, table }) => `${step} ${table}`),
        ['refill bins'],
      )
      await insert('STRASSE')
      await assert.rejects(() => insert('STRAẞE'), { code: 'conflict' })
      const storage = await openStorage(database, first, { heldMs: 0, making: 'empty' })
      assert.equal((await storage.find(bins, equal('label', 'straße')))?.row.label, 'Straße')
      assert.equal((await storage.find(bins, equal('label', 'strasse')))?.row.label, 'STRASSE')
      await storage.close()
      assert.deepEqual(await migrateStorage(database, first, { dryRun: true }), [])
    })

    test('is refused an id of another kind, and what is no longer declared', async (t) => {
      const { database, remembered } = await makeEarlier(t, kind)
      const refused = async (fields: Fields, message: RegExp) =>
        assert.rejects(
          async () => openStorage(database, declare(fields), { heldMs: 0, making: 'empty' }),
          (error) => error instanceof StartError && message.test(error.message) && !/row_?id/.test(error.message),
        )
      await refused({ ...firstFields, id: integerId() }, /parts\.id changes from text to counted integer/)
      await refused({ id: id(), name: text({ required: true }) }, /parts\.bin_id .*no longer declared/)
      assert.equal(await remembered(), earlierModel)
    })
  })
}
