/**
 * Merged index scans return the rows of the plain SQL in the same order. Random conditions, sorts,
 * offsets and cursors run on both databases. The plain SQL is that of a locking list, which is
 * never merged.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { all, any, type Condition, equal, isNull } from '../../src/resource/condition.ts'
import { makeStatements } from '../../src/storage/sql/statements.ts'
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts'
import type { ListRequest } from '../../src/storage/storage.ts'
import { shortOr } from '../helpers/long.ts'
import { openBoth } from './both-databases.ts'
import { by, compare, fill, libraryCatalog, searching, tester, volume } from './library.ts'

const volumesMax = 120
const inList = (field: string, values: readonly (string | number | boolean)[]): Condition => ({
  kind: 'in',
  field,
  values,
})
const shelfId = fc.integer({ min: 1, max: 3 })
const alternative: fc.Arbitrary<Condition> = fc.oneof(
  shelfId.map((id) => equal('shelfId', id)),
  shelfId.map((id) => equal('spareId', id)),
  fc.constant(isNull('spareId')),
  fc.tuple(shelfId, fc.boolean()).map(([id, lent]) => all(equal('spareId', id), equal('lent', lent))),
  fc.array(shelfId, { minLength: 1, maxLength: 3 }).map((ids) => inList('spareId', ids)),
)
const beside: fc.Arbitrary<Condition> = fc.oneof(
  fc.boolean().map((lent) => equal('lent', lent)),
  fc.integer({ min: 0, max: 5 }).map((rank) => compare('rank', 'gte', rank)),
  fc.constant(isNull('note')),
  fc.constant(searching('volume')),
  shelfId.map((id) => inList('shelfId', [id, 2.5, 3])),
)
const where = fc
  .tuple(
    fc.oneof(
      fc.array(alternative, { minLength: 1, maxLength: 4 }).map((of) => any(...of)),
      fc.array(shelfId, { maxLength: 4 }).map((ids) => inList('shelfId', ids)),
      fc.array(fc.constantFrom(0, 1, 3, 4.5), { maxLength: 4 }).map((ranks) => inList('rank', ranks)),
    ),
    fc.array(beside, { maxLength: 2 }),
  )
  .map(([alternatives, others]) => all(alternatives, ...others))
const sort = fc.constantFrom(
  by('title', 'id'),
  by('-title', '-id'),
  by('-title', 'id'),
  by('spareId', 'title', 'id'),
  by('id'),
  by('-rank', '-id'),
)
type Asked = Omit<ListRequest, 'after'> & { readonly afterRow: number | undefined }
const asked: fc.Arbitrary<Asked> = fc.record({
  where,
  sort,
  limit: fc.integer({ min: 0, max: 12 }),
  offset: fc.integer({ min: 0, max: 15 }),
  afterRow: fc.option(fc.nat(20), { nil: undefined }),
})

const statements = makeStatements(libraryCatalog, sqliteDialect)
const isMerged = (request: ListRequest) => statements.list(volume, request).sql.includes(' union all select "volumes"')

/** About one in five is merged: this number of runs always merges enough. */
const numRuns = shortOr(150, 450)

test('merged walks have the same rows in the same order as the plain text', async (t) => {
  const databases = await openBoth(t, libraryCatalog)
  const volumes = Array.from({ length: volumesMax }, (_, i) => ({
    title: `Volume ${i % 5 === 0 ? 'é' : ''}${(i * 37) % volumesMax}`,
    shelfId: 1 + (i % 2),
    spareId: [null, 1, 2, 1][i % 4],
    rank: i % 6 === 5 ? null : i % 6,
    lent: i % 3 === 0,
    note: i % 5 === 0 ? null : 'n',
  }))
  for (const [, storage] of databases) await fill(storage, volumes)
  let merged = 0
  let found = 0
  const check = async ({ afterRow, ...request }: Asked) => {
    merged += isMerged(request) ? 1 : 0
    for (const [name, storage] of databases) {
      const plain = (one: ListRequest) => storage.transaction(tester, (transaction) => transaction.lockAll(volume, one))
      const row = afterRow === undefined ? undefined : (await plain({ ...request, offset: afterRow, limit: 1 }))[0]
      const after = row && { values: request.sort.map(({ field }) => row[field] as string | number | null) }
      const whole = { ...request, after: after ?? null }
      const rows = await storage.list(volume, whole)
      found += rows.length
      assert.deepEqual(rows, await plain(whole), `${name}: ${JSON.stringify(whole)}`)
      const all = await storage.list(volume, { where: request.where, sort: by('id'), limit: 5000 })
      assert.equal(await storage.count(volume, request.where), all.length, `${name}: ${JSON.stringify(request.where)}`)
    }
  }
  await fc.assert(fc.asyncProperty(asked, check), { numRuns })
  assert.ok(merged > numRuns / 15, `${merged} of ${numRuns} lists were merged`)
  assert.ok(found > numRuns, `${found} rows were found`)
})

test('only alternatives that all walk an index in the order of the list are merged', () => {
  const list = (one: Condition, keys: string, limit = 20) =>
    isMerged({ where: one, sort: by(...keys.split(' ')), limit })
  const either = any(equal('shelfId', 1), equal('spareId', 2))
  assert.ok(list(either, '-title -id'))
  assert.ok(list(all(either, compare('rank', 'gt', 1)), 'title id'))
  assert.ok(list(inList('spareId', [1, 2, 3]), 'title id'))
  assert.ok(!list(either, '-rank -id'), 'no index has this order')
  assert.ok(!list(either, '-title id'), 'one direction for all')
  assert.ok(!list(any(equal('shelfId', 1), equal('lent', true)), 'title id'), 'no index for the second')
  assert.ok(!list(any(equal('shelfId', 1), compare('spareId', 'gt', 2)), 'title id'), 'a range has no order')
  assert.ok(!list(inList('spareId', [7]), 'title id'), 'one value is an equality')
  assert.ok(!list(inList('spareId', [7, 7]), 'title id'), 'and so is the same twice')
  assert.ok(
    !list(
      inList(
        'spareId',
        Array.from({ length: 25 }, (_, i) => i),
      ),
      'title id',
    ),
    'too many',
  )
  assert.ok(!list(either, 'title id', 5000), 'a list of everything')
  assert.ok(!list(all(either, searching('volume')), 'title id'), 'the words are looked up')
})
