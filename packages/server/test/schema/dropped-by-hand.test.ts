/**
 * Another program dropped a part of the database. A migration compares the declarations with the
 * tables, recreates the parts that it can, and names the rest.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { runSql } from 'bindery-server/test'
import { describeStep } from '../../src/cli/database/step-words.ts'
import { id, includes, integerId, reference, text } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { defineResource } from '../../src/resource/define.ts'
import { migrateStorage, planStorage } from '../../src/storage/open.ts'
import { findingsOf } from '../cli/ward.ts'
import { searching, tester } from '../storage/library.ts'
import { kinds, makePlace, open, type Place } from './places.ts'

const boxes = defineResource({
  name: 'box',
  fields: { id: integerId(), name: text({ required: true, unique: true }), size: text() },
  list: { style: 'page', sortable: ['name'], search: ['name'] },
  access: {},
})
const things = defineResource({
  name: 'thing',
  fields: {
    id: integerId(),
    boxId: reference('box', { onDelete: 'delete' }),
    title: text({ required: true, unique: true }),
    note: text(),
  },
  list: { style: 'page', sortable: ['title'], search: ['title'], filters: { part: includes('title') } },
  access: {},
})
const catalog = makeCatalog([boxes, things])

async function begin(place: Place): Promise<void> {
  const storage = await open(place, catalog)
  await storage.transaction(tester, async (transaction) => {
    const box = await transaction.insert(catalog.get('box'), { name: 'First box', size: 'large' })
    for (const title of ['Red lamp', 'Blue lamp'])
      await transaction.insert(catalog.get('thing'), { title, boxId: box.id, note: 'kept' })
  })
  await storage.close()
}

const stepsOf = async (place: Place, allowed: readonly string[] = []) =>
  (await planStorage(place.database, catalog, { allowed })).steps.map(describeStep)

type Drop = {
  readonly what: string
  readonly sql: string
  /** Parts that are made again. */
  readonly again: RegExp
  readonly only?: 'sqlite' | 'postgres'
}

const sqlite = 'sqlite' as const
const postgres = 'postgres' as const
const anew: readonly Drop[] = [
  { what: 'an index', sql: 'DROP INDEX things_title_id_idx', again: /^create index things_title_id_idx on things/ },
  { what: 'a unique index', sql: 'DROP INDEX things_title_folded_key', again: /^create index things_title_folded_key/ },
  {
    what: 'an index that is another one now',
    sql: 'DROP INDEX things_title_id_idx; CREATE INDEX things_title_id_idx ON things (note)',
    again: /^drop index things_title_id_idx of things\ncreate index things_title_id_idx/,
  },
  {
    what: 'a unique index that is not unique now',
    sql: 'DROP INDEX things_title_folded_key; CREATE INDEX things_title_folded_key ON things (title_folded)',
    again: /^drop index things_title_folded_key of things\ncreate index things_title_folded_key/,
  },
  {
    what: 'folded texts',
    sql: 'DROP TRIGGER things_title_folded_parts_update; DROP TRIGGER things_title_folded_parts_delete; DROP TRIGGER things_title_folded_parts_insert; DROP TABLE things_title_folded_parts; DROP INDEX things_title_folded_key; ALTER TABLE things DROP COLUMN title_folded',
    again: /^add column things\.title_folded[\s\S]*refill[\s\S]*create index things_title_folded_key/,
    only: sqlite,
  },
  {
    what: 'folded texts',
    sql: 'ALTER TABLE things DROP COLUMN title_folded',
    again: /^add column things\.title_folded[\s\S]*refill[\s\S]*create index things_title_folded_key/,
    only: postgres,
  },
  {
    what: 'the index of words',
    sql: 'DROP INDEX things_search_idx',
    again: /^create search of things$/,
    only: postgres,
  },
  { what: 'the words', sql: 'DROP TABLE things_words', again: /^create search of things$/, only: sqlite },
  { what: 'the terms', sql: 'DROP TABLE things_terms', again: /^create search of things$/, only: sqlite },
  {
    what: 'the parts of texts',
    sql: 'DROP TABLE things_title_folded_parts',
    again: /^create search of things$/,
    only: sqlite,
  },
  {
    what: 'a trigger that keeps the words',
    sql: 'DROP TRIGGER things_words_update',
    again: /^create search of things$/,
    only: sqlite,
  },
  {
    what: 'several at once',
    sql: 'DROP INDEX things_title_id_idx; DROP INDEX boxes_name_id_idx; DROP INDEX boxes_name_folded_key',
    again:
      /^create index boxes_name_folded_key[\s\S]*create index boxes_name_id_idx[\s\S]*create index things_title_id_idx/,
  },
]

const bound =
  "SELECT conname FROM pg_constraint WHERE contype IN ('p', 'f') AND conrelid IN ('things'::regclass, 'boxes'::regclass)"

for (const kind of kinds)
  describe(`dropped by hand on ${kind}`, () => {
    for (const { what, sql, again, only = kind } of anew)
      if (only === kind)
        test(`${what}: made again by the next start`, async (t) => {
          const place = await makePlace(kind)
          t.after(place.remove)
          await begin(place)
          assert.deepEqual(await stepsOf(place), [])
          await place.forget(sql)
          assert.match((await stepsOf(place)).join('\n'), again)
          const storage = await open(place, catalog)
          const thing = catalog.get('thing')
          assert.equal(await storage.count(thing, searching('lamp')), 2)
          assert.equal(await storage.count(thing, { kind: 'contains', field: 'title', text: 'blue' }), 1)
          const insert = (title: string) =>
            storage.transaction(tester, (transaction) => transaction.insert(thing, { title, boxId: 1 }))
          await assert.rejects(insert('RED LAMP'), /title must be unique/)
          await insert('Green lamp')
          assert.equal(await storage.count(thing, searching('green')), 1)
          await storage.close()
          assert.deepEqual(await stepsOf(place), [])
        })

    if (kind === 'postgres') {
      const keys: readonly (readonly [what: string, sql: string, again: RegExp])[] = [
        ['a primary key', 'ALTER TABLE things DROP CONSTRAINT things_pkey', /^create primary key things\.id$/],
        [
          'a primary key, and what refers to it',
          'ALTER TABLE boxes DROP CONSTRAINT boxes_pkey CASCADE',
          /^create primary key boxes\.id\nchange reference things\.box_id, which refers to boxes \(cascade\)$/,
        ],
        [
          'a foreign key',
          'ALTER TABLE things DROP CONSTRAINT things_box_id_fkey',
          /^change reference things\.box_id, which refers to boxes \(cascade\)$/,
        ],
        [
          'a foreign key that does something else now',
          'ALTER TABLE things DROP CONSTRAINT things_box_id_fkey, ADD FOREIGN KEY (box_id) REFERENCES boxes (id) ON DELETE SET NULL',
          /^change reference things\.box_id, which refers to boxes \(cascade\)$/,
        ],
      ]
      for (const [what, sql, again] of keys)
        test(`${what}: told by the doctor, and made again by the next start`, async (t) => {
          const place = await makePlace(kind)
          t.after(place.remove)
          await begin(place)
          await place.forget(sql)
          const config = { env: place.env, declarations: [boxes, things] }
          const told = (await findingsOf(config)).filter(({ check }) => check === 'keys').map(({ where }) => where)
          assert.deepEqual(
            told,
            [...again.source.matchAll(/(?:key|reference) (\w+)\\\.(\w+)/g)].map((one) => `${one[1]}.${one[2]}`),
          )
          assert.match((await stepsOf(place)).join('\n'), again)
          await (await open(place, catalog)).close()
          assert.deepEqual(await stepsOf(place), [])
          assert.equal((await runSql(place.env.DATABASE_URL as string, bound)).length, 3)
        })

      test('keys, and rows that break them since: they are named', async (t) => {
        const place = await makePlace(kind)
        t.after(place.remove)
        await begin(place)
        await place.forget(
          `ALTER TABLE things DROP CONSTRAINT things_box_id_fkey; UPDATE things SET box_id = 77 WHERE id = 2`,
        )
        await refused(
          place,
          /things\.box_id refers to boxes from now on, and rows have an id of no such record: 1 record \(2\)/,
        )
        await place.forget(
          `UPDATE things SET box_id = 1; ALTER TABLE things DROP CONSTRAINT things_pkey; UPDATE things SET id = 1`,
        )
        await refused(place, /things\.id must be unique from now on.*: 1: 2 records \(1, 1\)/)
      })
    }

    async function refused(place: Place, message: RegExp) {
      for (const work of [
        () => stepsOf(place),
        () => migrateStorage(place.database, catalog),
        () => open(place, catalog),
      ])
        await assert.rejects(work(), message)
    }

    test('a table: named, and made empty where that is said', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      await begin(place)
      await place.forget(
        `PRAGMA foreign_keys = OFF; DROP TABLE boxes`.replace(/^.*; /, kind === 'sqlite' ? '$&' : '') +
          (kind === 'postgres' ? ' CASCADE' : ''),
      )
      await refused(
        place,
        /no longer there[\s\S]*\n {2}table boxes\n[\s\S]*bindery restore --help[\s\S]*--allow-loss box$/,
      )
      await assert.rejects(stepsOf(place, ['thing']), /table boxes/)
      assert.match((await stepsOf(place, ['box'])).join('\n'), /^create table boxes .*empty, in place of one/)
      await migrateStorage(place.database, catalog, { allowed: ['box'] })
      assert.deepEqual(await stepsOf(place), [])
      const storage = await open(place, catalog)
      assert.equal(await storage.count(catalog.get('box'), searching('box')), 0)
      await storage.transaction(tester, (transaction) => transaction.insert(catalog.get('box'), { name: 'New box' }))
      assert.equal(await storage.count(catalog.get('box'), searching('new')), 1)
      assert.equal(await storage.count(catalog.get('thing'), searching('lamp')), 2)
      const orphan = storage.transaction(tester, (transaction) =>
        transaction.insert(catalog.get('thing'), { title: 'Orphan', boxId: 77 }),
      )
      await assert.rejects(orphan, /./, 'references hold again')
      await storage.close()
    })

    test('columns: named with the table, and made empty where that is said', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      await begin(place)
      await place.forget('ALTER TABLE things DROP COLUMN note; ALTER TABLE boxes DROP COLUMN size')
      await refused(
        place,
        /\n {2}column boxes\.size\n {2}column things\.note\n[\s\S]*--allow-loss box\.size,thing\.note$/,
      )
      await assert.rejects(stepsOf(place, ['thing.note']), /column boxes\.size/)
      await migrateStorage(place.database, catalog, { allowed: ['box.size', 'thing.note'] })
      assert.deepEqual(await stepsOf(place), [])
      const storage = await open(place, catalog)
      assert.equal(
        (await storage.find(catalog.get('box'), { kind: 'compare', field: 'id', operator: 'eq', value: 1 }))?.row.size,
        null,
      )
      await storage.close()
    })

    test('a unique index, and rows that are not unique since: they are named', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      await begin(place)
      await place.forget(
        "DROP INDEX things_title_folded_key; UPDATE things SET title = 'Red lamp', title_folded = 'red lamp'",
      )
      await refused(place, /title.* must be unique from now on.*red lamp: 2 records/)
    })

    test('what the database remembers: its tables are not taken for new ones', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      await begin(place)
      await place.forget("DELETE FROM bindery_meta WHERE name IN ('model', 'meanings')")
      await refused(place, /does not remember.*boxes, things.*restore a backup/)
    })

    test('tables of the service itself, and the index of parts: a start makes them again', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      await begin(place)
      const parts = kind === 'postgres' ? '; DROP INDEX IF EXISTS things_title_folded_trgm_idx' : ''
      await place.forget(`DROP TABLE bindery_changes; DROP TABLE bindery_requests; DROP TABLE bindery_counters${parts}`)
      const storage = await open(place, catalog)
      await storage.transaction(tester, (transaction) => transaction.insert(catalog.get('box'), { name: 'New box' }))
      await storage.close()
      if (kind === 'postgres') {
        const found = await runSql(
          place.env.DATABASE_URL as string,
          "SELECT FROM pg_extension WHERE extname = 'pg_trgm' AND to_regclass('things_title_folded_trgm_idx') IS NULL",
        )
        assert.equal(found.length, 0)
      }
    })

    test('a table that nobody declares any more: nothing is to do', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      const pins = defineResource({ name: 'pin', fields: { id: id(), code: text() }, access: {} })
      await (await open(place, makeCatalog([boxes, things, pins]))).close()
      await place.forget('DROP TABLE pins')
      await migrateStorage(place.database, catalog)
      await (await open(place, catalog)).close()
      assert.deepEqual(await stepsOf(place), [])
      assert.deepEqual(
        readdirSync(place.folder).filter((name) => name.startsWith('lost-')),
        [],
      )
    })
  })
