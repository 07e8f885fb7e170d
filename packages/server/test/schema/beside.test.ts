/**
 * A rolling upgrade on PostgreSQL: the old version goes on serving after the new one has started,
 * and each sees the other's writes. Schema changes that the old version cannot run with wait until
 * it has ended.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { runSql } from 'bindery-server/test'
import { autoNumber, choice, count, defineResource, id, integer, reference, text } from '../../src/index.ts'
import type { Catalog } from '../../src/resource/catalog.ts'
import { always, equal } from '../../src/resource/condition.ts'
import { migrateStorage, planStorage } from '../../src/storage/open.ts'
import type { Storage, Values } from '../../src/storage/storage.ts'
import { idOf, searching, tester } from '../storage/library.ts'
import { catalogOf, thing } from './changes.ts'
import { makePlace, open, type Place } from './places.ts'

let place: Place
let url: string
before(async () => {
  place = await makePlace('postgres')
  url = place.env.DATABASE_URL as string
})
after(() => place.remove())

/** Closed when the test ends, whatever comes before. */
async function serve(t: TestContext, at: Place, catalog: Catalog): Promise<Storage> {
  const storage = await open(at, catalog)
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= storage.close()
    return closing
  }
  t.after(close)
  return { ...storage, close }
}

const insert = (storage: Storage, resource: ReturnType<Catalog['get']>, values: Values) =>
  storage.transaction(tester, (transaction) => transaction.insert(resource, values))
const find = async (storage: Storage, resource: ReturnType<Catalog['get']>, n: number) =>
  (await storage.find(resource, equal('id', idOf(n))))?.row
const update = (
  storage: Storage,
  resource: ReturnType<Catalog['get']>,
  { n, changes }: { n: number; changes: Values },
) =>
  storage.transaction(tester, async (transaction) => {
    const found = await transaction.lock(resource, equal('id', idOf(n)))
    if (found) await transaction.update(resource, found.row, changes)
  })
const columnsOf = async (table: string) =>
  (
    await runSql(
      url,
      'SELECT attname FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped',
      [table],
    )
  ).map(({ attname }) => attname)

const old = catalogOf([
  thing({
    id: id(),
    name: text({ required: true, unique: true }),
    status: choice(['OUT', 'BACK', 'RETURNED'], { default: 'OUT' }),
    gone: text(),
  }),
])
const next = catalogOf([
  thing(
    {
      id: id(),
      title: text({ required: true, unique: true, renamedFrom: 'name' }),
      status: choice(['OUT', 'RETURNED'], { default: 'OUT', renamedFrom: { BACK: 'RETURNED' } }),
      length: integer({ required: true, backfill: (row) => row.title.length }),
    },
    { name: 'article', renamedFrom: 'thing', list: { sortable: ['title'], search: ['title'] } },
  ),
])
const [was, is] = [old.get('thing'), next.get('article')]

test('both versions serve, and the rest is done when the one before has gone', async (t) => {
  const first = await serve(t, place, old)
  for (const n of [1, 2]) await insert(first, was, { id: idOf(n), name: `Old ${n}`, status: 'BACK', gone: null })

  const second = await serve(t, place, next)
  assert.deepEqual(await find(second, is, 1), {
    id: idOf(1),
    title: 'Old 1',
    status: 'RETURNED',
    length: 5,
    version: 1,
  })

  // Each sees what the other writes, under its own names.
  await insert(first, was, { id: idOf(3), name: 'Old three', status: 'BACK', gone: null })
  await insert(second, is, { id: idOf(4), title: 'New 4', status: 'OUT', length: 5 })
  await update(first, was, { n: 1, changes: { name: 'Old one' } })
  await update(second, is, { n: 2, changes: { title: 'New two' } })
  assert.deepEqual(await find(second, is, 3), {
    id: idOf(3),
    title: 'Old three',
    status: 'RETURNED',
    length: 9,
    version: 1,
  })
  assert.equal((await find(second, is, 1))?.title, 'Old one')
  assert.equal((await find(first, was, 2))?.name, 'New two')
  assert.equal((await find(first, was, 4))?.name, 'New 4')
  assert.equal(await second.count(is, searching('three')), 1)
  await assert.rejects(insert(second, is, { id: idOf(5), title: 'OLD ONE', status: 'OUT', length: 7 }), /unique/)
  await assert.rejects(insert(first, was, { id: idOf(5), name: 'NEW TWO', status: 'OUT', gone: null }), /unique/)

  const groups = [{ field: 'status' }]
  const summary = await second.summarize(is, {
    where: always,
    groups,
    sums: ['length'],
    ends: ['length'],
    limit: 10,
  })
  assert.deepEqual(summary.map(({ group, count, sums }) => [group[0], count, sums.get('length')?.sum]).toSorted(), [
    ['OUT', 1, 5n],
    ['RETURNED', 3, 10n],
  ])

  // While it is there, what it needs stays.
  const waiting = await planStorage(place.database, next)
  assert.deepEqual(waiting.later.map((step) => `${step.kind} ${'column' in step ? step.column : ''}`).toSorted(), [
    'drop-alias ',
    'drop-column gone',
    'drop-column gone_folded',
    'drop-column name',
    'drop-column name_folded',
    'require length',
  ])
  await first.close()

  const kept = await columnsOf('articles')
  assert.ok(kept.includes('name') && kept.includes('gone'), String(kept))
  const taken = await migrateStorage(place.database, next)
  assert.ok(taken.length > 0)
  assert.deepEqual(await migrateStorage(place.database, next), [])
  assert.deepEqual((await columnsOf('articles')).toSorted(), [
    'id',
    'length',
    'search',
    'status',
    'title',
    'title_folded',
    'version',
  ])
  assert.deepEqual(await columnsOf('things'), [])
  assert.deepEqual(await runSql(url, 'SELECT title, status, length FROM articles ORDER BY id'), [
    { title: 'Old one', status: 'RETURNED', length: '5' },
    { title: 'New two', status: 'RETURNED', length: '5' },
    { title: 'Old three', status: 'RETURNED', length: '9' },
    { title: 'New 4', status: 'OUT', length: '5' },
  ])
  assert.deepEqual(await runSql(url, "SELECT proname FROM pg_proc WHERE proname LIKE 'bindery_mirror%'"), [])
  await insert(second, is, { id: idOf(6), title: 'Six', status: 'OUT', length: 3 })
  await assert.rejects(
    runSql(url, "INSERT INTO articles (id, title, version, search) VALUES ('x', 'y', 1, '')"),
    /length/,
  )
  await second.close()
})

test('what the version before would misread waits for it to go', async (t) => {
  const other = await makePlace('postgres')
  t.after(other.remove)
  const plain = catalogOf([thing({ id: id(), name: text({ required: true }), size: integer({ default: 0 }) })])
  const first = await serve(t, other, plain)
  await insert(first, plain.get('thing'), { id: idOf(1), name: 'One', size: 7 })
  const grown = catalogOf([
    thing({ id: id(), name: text({ required: true }), size: text({ default: '', convert: String }) }),
  ])
  await assert.rejects(
    open(other, grown),
    /changes from integer to text, and other instances or programs are connected/,
  )
  const numbered = catalogOf([
    thing({ id: id(), name: text({ required: true }), size: integer({ default: 0 }), no: autoNumber() }),
  ])
  await assert.rejects(
    open(other, numbered),
    /things\.no counts the records, and other instances or programs are connected/,
  )
  const parts = { id: id(), thingId: reference('thing') }
  const part = defineResource({ name: 'part', fields: parts, access: {} }) as never
  const named = { id: id(), name: text({ required: true }), size: integer({ default: 0 }) }
  await assert.rejects(
    open(other, catalogOf([thing({ ...named, parts: count('parts') }), part])),
    /things\.parts counts other records, and other instances or programs are connected/,
  )
  assert.equal((await find(first, plain.get('thing'), 1))?.size, 7)
  await first.close()
  const second = await serve(t, other, grown)
  assert.equal((await find(second, grown.get('thing'), 1))?.size, '7')
  await second.close()
})

test('the version before can be returned to while nothing of it has gone', async (t) => {
  const other = await makePlace('postgres')
  t.after(other.remove)
  const earlier = catalogOf([thing({ id: id(), name: text({ required: true }) })])
  const later = catalogOf([
    thing(
      { id: id(), title: text({ required: true, renamedFrom: 'name' }) },
      { list: { sortable: ['title'], search: ['title'] } },
    ),
  ])
  const [thingBefore, thingAfter] = [earlier.get('thing'), later.get('thing')]
  const first = await serve(t, other, earlier)
  await insert(first, thingBefore, { id: idOf(1), name: 'One' })
  const second = await serve(t, other, later)
  await insert(second, thingAfter, { id: idOf(2), title: 'Two' })
  const third = await serve(t, other, earlier)
  await insert(third, thingBefore, { id: idOf(3), name: 'Three' })
  for (const [n, name] of [
    [1, 'One'],
    [2, 'Two'],
    [3, 'Three'],
  ] as const)
    assert.equal((await find(third, thingBefore, n))?.name, name)
  assert.equal((await find(second, thingAfter, 3))?.title, 'Three')
  await Promise.all([first, second, third].map((one) => one.close()))
  await migrateStorage(other.database, earlier)
  const last = await serve(t, other, earlier)
  for (const [n, name] of [
    [1, 'One'],
    [2, 'Two'],
    [3, 'Three'],
  ] as const)
    assert.equal((await find(last, thingBefore, n))?.name, name)
  assert.equal(await last.count(thingBefore, searching('two')), 1)
  await last.close()
})

test('what may be lost is written to a file when it goes, not before', async (t) => {
  const other = await makePlace('postgres')
  t.after(other.remove)
  const full = catalogOf([thing({ id: id(), name: text({ required: true }), note: text() })])
  const bare = catalogOf([thing({ id: id(), name: text({ required: true }) })])
  const first = await serve(t, other, full)
  await insert(first, full.get('thing'), { id: idOf(1), name: 'One', note: 'Early' })
  const losses = { folder: other.folder, stamp: 'now' }
  await assert.rejects(migrateStorage(other.database, bare, { losses }), /things\.note .*1 record/)
  await migrateStorage(other.database, bare, { losses, allowed: ['thing.note'] })
  const lost = () => readdirSync(other.folder).filter((name) => name.startsWith('lost-'))
  assert.deepEqual(lost(), [])
  await insert(first, full.get('thing'), { id: idOf(2), name: 'Two', note: 'Late' })
  await first.close()
  await migrateStorage(other.database, bare, { losses })
  assert.deepEqual(lost(), ['lost-things.note-now.ndjson'])
  assert.equal(
    readFileSync(join(other.folder, 'lost-things.note-now.ndjson'), 'utf8'),
    `${JSON.stringify({ id: idOf(1), note: 'Early' })}\n${JSON.stringify({ id: idOf(2), note: 'Late' })}\n`,
  )
})
