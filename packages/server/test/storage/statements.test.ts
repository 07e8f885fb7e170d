/**
 * The exact SQL and values of a few statements, and the plans of important lists. No byte of a
 * request is in the SQL.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { constants } from 'node:sqlite'
import { after, test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import fc from 'fast-check'
import { all, always, any, type Condition } from '../../src/resource/condition.ts'
import { columnWriter } from '../../src/storage/sql/row.ts'
import { makeStatements, type Statement } from '../../src/storage/sql/statements.ts'
import { openConnection } from '../../src/storage/sqlite/connection.ts'
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { lateRows, rowNumbers } from '../../src/storage/sqlite/texts/row-order.ts'
import { lamp, lampCatalog, parseLamps } from './lamps.ts'
import { by, compare, idOf, libraryCatalog, searching, shelf, volume, volumeOf } from './library.ts'

const statements = makeStatements(libraryCatalog, sqliteDialect)
const columns = 'id shelf_id spare_id title note rank lent tags seen_at version'
  .split(' ')
  .map((name) => `"volumes"."${name}"`)
  .join(', ')

const exact: readonly (readonly [string, () => Statement, string, readonly unknown[]])[] = [
  [
    'find',
    () => statements.find(volume, compare('rank', 'gte', 2)),
    `select ${columns} from "volumes" where "volumes"."rank" >= ? limit 1`,
    [2],
  ],
  [
    'find with a test',
    () => statements.find(volume, compare('id', 'eq', 'x'), { test: compare('lent', 'eq', true) }),
    `select ${columns}, case when "volumes"."lent" = ? then 1 else 0 end as "passes" from "volumes" where "volumes"."id" = ? limit 1`,
    [1, 'x'],
  ],
  [
    'list',
    () =>
      statements.list(volume, {
        where: all(compare('lent', 'eq', false), compare('title', 'eq', 'A')),
        sort: by('-rank', '-id'),
        limit: 20,
        offset: 40,
      }),
    `select ${columns} from "volumes" where ("volumes"."lent" = ? and "volumes"."title_folded" = ?) order by "volumes"."rank" desc, "volumes"."id" desc limit +? offset ?`,
    [0, 'a', 20, 40],
  ],
  [
    'list after a cursor',
    () => statements.list(shelf, { where: always, sort: by('label', 'id'), limit: 5, after: { values: ['x', 7] } }),
    'select "shelves"."id", "shelves"."label", "shelves"."version" from "shelves" where ("shelves"."label" >= ? and ("shelves"."label" > ? or ("shelves"."label" >= ? and "shelves"."label" <= ? and "shelves"."id" > ?))) order by "shelves"."label" asc, "shelves"."id" asc limit +? offset ?',
    ['x', 'x', 'x', 'x', 7, 5, 0],
  ],
  [
    'count',
    () => statements.count(volume, { kind: 'in', field: 'rank', values: [1, 2] }),
    'select count(*) as "count" from "volumes" where "volumes"."rank" in (select value from json_each(?))',
    ['[1,2]'],
  ],
  [
    'list of alternatives',
    () =>
      statements.list(volume, {
        where: all(any(compare('shelfId', 'eq', 1), compare('spareId', 'eq', 2)), compare('lent', 'eq', true)),
        sort: by('-title', '-id'),
        limit: 20,
      }),
    `select ${columns} from "volumes" where "volumes"."shelf_id" = ? and "volumes"."lent" = ? union all select ${columns} from "volumes" where "volumes"."spare_id" = ? and "volumes"."lent" = ? and ("volumes"."shelf_id" = ?) is not true order by "title" desc, "id" desc limit +? offset ?`,
    [1, 1, 2, 1, 1, 20, 0],
  ],
  [
    'count of alternatives',
    () => statements.count(volume, any(compare('shelfId', 'eq', 1), compare('spareId', 'eq', 2))),
    'select (select count(*) as "count" from "volumes" where "volumes"."shelf_id" = ?) + (select count(*) as "count" from "volumes" where "volumes"."spare_id" = ? and ("volumes"."shelf_id" = ?) is not true) as "count"',
    [1, 2, 1],
  ],
  [
    'lists of many',
    () =>
      statements.listEach(volume, {
        by: 'shelfId',
        ids: [1, 2],
        where: { kind: 'not', of: compare('lent', 'eq', true) },
        sort: by('-title', '-id'),
        limit: 3,
        most: 1001,
      }),
    `select ${columns} from json_each(?) as given cross join "volumes" where "volumes"."row_id" in (select "volumes"."row_id" from "volumes" where "volumes"."shelf_id" = given.value and (("volumes"."lent" = ?) is not true) order by "volumes"."title" desc, "volumes"."id" desc limit +?) limit +?`,
    ['[1,2]', 1, 3, 1001],
  ],
  [
    'insert',
    () => statements.insert(shelf, ['label', 'version'], [['x', 1]]),
    'insert into "shelves" ("label", "version") values (?, ?) returning "id", "version"',
    ['x', 1],
  ],
  [
    'insert of many',
    () =>
      statements.insert(
        shelf,
        ['label', 'version'],
        [
          ['x', 1],
          ['y', 1],
        ],
      ),
    'insert into "shelves" ("label", "version") values (?, ?), (?, ?) returning "id", "version"',
    ['x', 1, 'y', 1],
  ],
  [
    'update',
    () => statements.update(volume, compare('id', 'eq', 'x'), { columns: ['rank'], values: [5] }),
    'update "volumes" set "rank" = ?, "version" = "version" + 1 where "volumes"."id" = ? returning "id", "version"',
    [5, 'x'],
  ],
  [
    'delete',
    () => statements.remove(volume, { kind: 'null', field: 'rank', isNull: true }),
    'delete from "volumes" where "volumes"."rank" is null returning "id", "version"',
    [],
  ],
  [
    'related to few',
    () =>
      statements.count(volume, { kind: 'related', field: 'shelfId', resource: 'shelf', where: compare('id', 'eq', 1) }),
    'select count(*) as "count" from "volumes" where "volumes"."shelf_id" in (select "shelves"."id" from "shelves" where "shelves"."id" = ?)',
    [1],
  ],
  [
    'related to records below',
    () =>
      statements.count(shelf, {
        kind: 'related',
        field: 'id',
        resource: 'volume',
        at: 'shelfId',
        where: compare('lent', 'eq', true),
      }),
    'select count(*) as "count" from "shelves" where exists (select 1 from "volumes" where "volumes"."shelf_id" = "shelves"."id" and "volumes"."lent" = ?)',
    [1],
  ],
  [
    'related to many',
    () =>
      statements.count(volume, { kind: 'related', field: 'shelfId', resource: 'shelf', where: compare('id', 'gt', 1) }),
    'select count(*) as "count" from "volumes" where exists (select 1 from "shelves" where "shelves"."id" = "volumes"."shelf_id" and "shelves"."id" > ?)',
    [1],
  ],
]
for (const [name, make, sql, parameters] of exact) {
  test(`exact SQL: ${name}`, () => {
    for (const statement of [make(), make()]) {
      assert.equal(statement.sql, sql)
      assert.deepEqual(statement.parameters, parameters)
    }
  })
}

test('a list is sorted by row numbers where it may be long', () => {
  const list = statements.list(shelf, { where: compare('id', 'gt', 1), sort: by('label', 'id'), limit: 5 })
  const sorted = 'order by "shelves"."label" asc, "shelves"."id" asc'
  const numbers = `select "shelves".rowid from "shelves" where "shelves"."id" > ? ${sorted} limit +? offset ?`
  assert.equal(rowNumbers(list).sql, numbers)
  const columns = '"shelves"."id", "shelves"."label", "shelves"."version"'
  assert.equal(lateRows(list).sql, `select ${columns} from "shelves" where "shelves".rowid in (${numbers}) ${sorted}`)
})

const folder = temporaryFolder()
await (await openSqlite(join(folder, 'plan.db'), lampCatalog)).close()
const connection = openConnection(join(folder, 'plan.db'), { readOnly: false })
after(() => {
  connection.database.close()
  removeFolder(folder)
})

function planOf({ sql, parameters }: Statement): string {
  return connection
    .all({ sql: `EXPLAIN QUERY PLAN ${sql}`, parameters })
    .map((row) => row.at(-1))
    .join('; ')
}

test('a repeated statement is not prepared again, with any values', async (t) => {
  const path = join(folder, 'prepared.db')
  await (await openSqlite(path, libraryCatalog)).close()
  const { database, all } = openConnection(path, { readOnly: true })
  t.after(() => database.close())
  if (!('setAuthorizer' in database)) return t.skip('this version of Node does not tell when a statement is prepared')
  let prepared = 0
  database.setAuthorizer(() => {
    prepared += 1
    return constants.SQLITE_OK
  })
  for (const [name, make] of exact) {
    const statement = make()
    if (!statement.sql.startsWith('select')) continue
    all(statement)
    assert.ok(prepared > 0)
    prepared = 0
    all({ ...statement, parameters: statement.parameters.map((one) => (typeof one === 'number' ? one + 1 : one)) })
    assert.equal(prepared, 0, name)
  }
})

const lampStatements = makeStatements(lampCatalog, sqliteDialect)
const plans: readonly (readonly [string, RegExp])[] = [
  ['kind=Desk&sort=price', /INDEX lamps_kind_price_id\w* \(kind=\?\)/],
  ['kind=Desk&sort=-price', /INDEX lamps_kind_price_id\w* \(kind=\?\)/],
  ['kind=Desk', /INDEX lamps_kind_created_at_id\w* \(kind=\?\)/],
  ['inStock=true&sort=name', /INDEX lamps_(in_stock_)?name_id\w*/],
  ['', /INDEX lamps_created_at_id_idx/],
  ['sort=-name', /INDEX lamps_name_id_idx/],
  ['minPrice=5&maxPrice=10&sort=price', /INDEX lamps_price_id_idx \(price>\? AND price<\?\)/],
  ['kind[in]=Desk,Wall&sort=-price', /MERGE \(UNION ALL\).*(INDEX lamps_kind_price_id\w* \(kind=\?\).*){2}/],
]
for (const [query, index] of plans) {
  test(`the list of lamps by "${query}" and its total read an index, and sort nothing`, () => {
    const { where, sort } = parseLamps(query)
    const plan = planOf(lampStatements.list(lamp, { where, sort, limit: 20, offset: 0 }))
    assert.match(plan, index)
    assert.doesNotMatch(plan, /TEMP B-TREE/)
    assert.match(planOf(lampStatements.count(lamp, where)), /INDEX/)
  })
}

test('a walk by cursor starts at its place in the index', () => {
  const after = { values: [1999, idOf(1)] }
  const where = compare('kind', 'eq', 'Desk')
  const plan = planOf(lampStatements.list(lamp, { where, sort: by('price', 'id'), limit: 20, after }))
  assert.match(plan, /INDEX lamps_kind_price_id\w* \(kind=\? AND price>\?\)/)
  assert.doesNotMatch(plan, /TEMP B-TREE/)
})

/**
 * A mark that occurs in no name and no SQL. It surrounds every value, so a value in the SQL text
 * would show.
 */
const mark = 'qZ7'
const value = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .map((text) => `${mark}${text.replaceAll('\0', '')}'"\`;--${mark}`)
const condition: fc.Arbitrary<Condition> = fc.letrec<{ any: Condition }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.record({
      kind: fc.constant('compare' as const),
      field: fc.constantFrom('title', 'note', 'id', 'seenAt'),
      operator: fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte'),
      value,
    }),
    fc.record({
      kind: fc.constant('in' as const),
      field: fc.constantFrom('title', 'note'),
      values: fc.array(value, { maxLength: 4 }),
    }),
    fc.record({
      kind: fc.constantFrom('contains' as const, 'startsWith' as const),
      field: fc.constantFrom('title', 'note', 'tags'),
      text: value,
    }),
    fc.array(value, { minLength: 1, maxLength: 3 }).map((words) => searching(...words)),
    fc.record({ kind: fc.constant('not' as const), of: tie('any') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      of: fc.array(tie('any'), { minLength: 1, maxLength: 3 }),
    }),
    value.map(
      (label): Condition => ({
        kind: 'related',
        field: 'shelfId',
        resource: 'shelf',
        where: compare('label', 'eq', label),
      }),
    ),
  ),
})).any

test('no value of a request is ever in SQL text, and each is bound', async () => {
  const database = await openSqlite(join(folder, 'property.db'), libraryCatalog)
  const reading = openConnection(join(folder, 'property.db'), { readOnly: true })
  const own = makeStatements(libraryCatalog, sqliteDialect)
  const shown = (text: string) => assert.doesNotMatch(text, /qZ7|qz7|[^\x20-\x7e]|;|--/i)
  const check = (where: Condition, first: string, id: string) => {
    const after = { values: [first, id] }
    for (const statement of [
      own.find(volume, where, { test: where }),
      own.list(volume, { where, sort: by('title', 'id'), limit: 5, after }),
      own.count(volume, where),
    ]) {
      shown(statement.sql)
      assert.equal(statement.sql.split('?').length - 1, statement.parameters.length)
      reading.all(statement) // and the SQL is valid
    }
    const record = volumeOf(1, { title: first, note: first, tags: [first] })
    const set = columnWriter(sqliteDialect, volume).whole(record)
    shown(own.insert(volume, set.columns, [set.values, set.values]).sql)
    shown(own.update(volume, where, set).sql)
    shown(own.remove(volume, where).sql)
  }
  try {
    fc.assert(fc.property(condition, value, value, check), { numRuns: 300 })
  } finally {
    reading.database.close()
    void database.close()
  }
})

const parameter = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      'q',
      'sort',
      'kind',
      'minPrice',
      'name',
      'price[gte]',
      'kind[in]',
      'name[contains]',
      'fields',
      'cursor',
      'page',
      'limit',
    ),
    value,
  ),
  fc.tuple(value, value),
)
test('a query either is refused or compiles to SQL without its text', () => {
  const check = (pairs: readonly (readonly [string, string])[]) => {
    let parsed: ReturnType<typeof parseLamps>
    try {
      parsed = parseLamps(pairs)
    } catch (error) {
      assert.equal((error as Error).name, 'ApiError', String((error as Error).stack))
      return
    }
    const { where, sort } = parsed
    const statement = lampStatements.list(lamp, { where, sort, limit: 20 })
    assert.doesNotMatch(statement.sql, /qz7/i)
    connection.all(statement)
  }
  fc.assert(fc.property(fc.array(parameter, { maxLength: 4 }), check), { numRuns: 500 })
})
