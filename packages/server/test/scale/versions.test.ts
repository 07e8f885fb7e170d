/**
 * A rolling restart to a new version: instances of the old version run beside it, and none of their
 * writes is lost.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { defineResource, id, integer, reference, text, textList } from 'bindery-server'
import { dropPostgresDatabase, makePostgresDatabase, runSql, sharedCluster } from 'bindery-server/test'
import { type Catalog, makeCatalog } from '../../src/resource/catalog.ts'
import { always, type Condition, equal } from '../../src/resource/condition.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'
import type { ListDeclaration } from '../../src/resource/list-declaration.ts'
import { openPostgres } from '../../src/storage/postgres/store.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { idOf, searching, tester } from '../storage/library.ts'

const name = `versions_${randomBytes(6).toString('hex')}`
let url: string
before(async () => {
  url = await makePostgresDatabase(sharedCluster(), name)
})
after(() => dropPostgresDatabase(sharedCluster(), name))

function declare(fields: Fields, list: object, others: readonly DeclaredResource[] = []): Catalog {
  const note = defineResource({ name: 'note', fields, list: list as ListDeclaration as never, access: {} })
  return makeCatalog([note as unknown as DeclaredResource, ...others])
}
const firstFields = { id: id(), title: text({ required: true }), size: integer({ default: 0 }), tag: text() }
const old = declare(firstFields, { style: 'page', filterable: ['tag'] })
const owner = defineResource({ name: 'owner', fields: { id: id(), name: text() }, access: {} })
/** With more fields, filters, an index and a search; the earlier filter is gone. */
const next = declare(
  { ...firstFields, extra: text({ default: 'x' }), tags: textList(), ownerId: reference('owner') },
  { style: 'page', sortable: ['size'], filterable: ['title'], search: ['title'] },
  [owner],
)

const open = (catalog: Catalog) => openPostgres({ url, connectionsMax: 3, prepare: true }, catalog)
const contains = (field: string, part: string): Condition => ({ kind: 'contains', field, text: part })

test('the old version reads, writes, filters and searches on; the new one finds all of it', async () => {
  const first: Storage = await open(old)
  const note = old.get('note')
  const insert = (storage: Storage, catalog: Catalog, n: number, title: string) =>
    storage.transaction(tester, (transaction) =>
      transaction.insert(catalog.get('note'), { id: idOf(n), title, size: n, tag: 'Old' }),
    )
  for (let n = 1; n <= 5; n += 1) await insert(first, old, n, `Crème ${n}`)
  for (let i = 0; i < 5; i += 1) assert.equal(await first.count(note, contains('tag', 'OLD')), 5)

  const second = await open(next)
  assert.equal(await second.count(next.get('note'), searching('creme')), 5)
  // The old version keeps running, with statements that it prepared before.
  await insert(first, old, 6, 'Crème 6')
  await first.transaction(tester, async (transaction) => {
    const found = await transaction.lock(note, equal('id', idOf(1)))
    if (found) await transaction.update(note, found.row, { size: 100 })
  })
  assert.equal(await first.count(note, contains('tag', 'OLD')), 6)
  assert.equal((await first.list(note, { where: always, sort: [], limit: 10 })).length, 6)
  const row = (await second.find(next.get('note'), equal('id', idOf(6))))?.row
  assert.deepEqual([row?.extra, row?.tags, row?.ownerId], ['x', [], null])
  await first.close()

  // The last instance of the old version has ended: the next start completes what it wrote.
  const third = await open(next)
  for (const storage of [second, third]) {
    assert.equal(await storage.count(next.get('note'), searching('creme')), 6)
    assert.equal(await storage.count(next.get('note'), contains('title', 'CRÈME')), 6)
  }
  await Promise.all([second.close(), third.close()])
  await assert.rejects(open(old), /no longer declared/)
})

test('ten that start at once migrate once', async () => {
  await runSql(url, 'DROP SCHEMA public CASCADE')
  await runSql(url, 'CREATE SCHEMA public')
  const opened = await Promise.all(Array.from({ length: 10 }, () => open(next)))
  await opened[0]?.transaction(tester, (transaction) =>
    transaction.insert(next.get('note'), { id: idOf(1), title: 'One', size: 1, extra: 'x', tags: [] }),
  )
  for (const storage of opened) assert.equal(await storage.count(next.get('note'), always), 1)
  await Promise.all(opened.map((one) => one.close()))
})
