/**
 * Names that a database reserves, reads as SQL keywords or truncates. Every database accepts them,
 * also where an earlier version did.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../../src/errors.ts'
import { defineResource, id, includes, integer, integerId, reference, text } from '../../src/index.ts'
import { type Catalog, makeCatalog } from '../../src/resource/catalog.ts'
import { always, equal } from '../../src/resource/condition.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'
import { snakeOf } from '../../src/resource/words/names.ts'
import { columnNameOf, tableNameOf } from '../../src/resource/words/sql-names.ts'
import { by, idOf, type MakeDatabase, searching, tester } from './library.ts'

const long = 'a'.repeat(63)
const longTwin = `${'a'.repeat(62)}b`
const words = [
  ...['xmin', 'xmax', 'cmin', 'cmax', 'ctid', 'tableoid', 'oid', 'rowid', 'rowId', 'search'],
  ...['nameFOLDED', 'otherFolded', 'nextNext'],
  ...[
    'select',
    'from',
    'where',
    'order',
    'group',
    'user',
    'table',
    'default',
    'primary',
    'references',
    'check',
    'current',
  ],
  ...['all', 'any', 'end', 'null', 'true', 'offset', 'window', 'values', 'column', 'unique', long, longTwin],
]
const tables = [
  'pgRole',
  'pgClass',
  'sqliteThing',
  'binderyCounter',
  'binderyChange',
  'user',
  'order',
  'select',
  long,
  longTwin,
]

function declare(declared: readonly DeclaredResource[]): Catalog {
  return makeCatalog(declared)
}

const textOf = (name: string) => `Text of ${name.slice(0, 9)}`
const wordy = defineResource({
  name: 'wordy',
  fields: { id: id(), ...Object.fromEntries(words.map((name) => [name, text()])) },
  list: {
    style: 'page',
    sortable: words.slice(0, 12),
    search: ['xmin', long],
    filters: { part: includes('ctid') },
  } as never,
  unique: [['rowid', long]] as never,
  access: {},
}) as unknown as DeclaredResource

const tabled = tables.map(
  (name) =>
    defineResource({
      name,
      fields: { id: integerId(), xmin: integer(), title: text({ unique: true }), aboveId: reference(name) },
      list: {
        style: 'page',
        sortable: ['title', 'xmin'],
        search: ['title'],
        filters: { part: includes('title') },
      } as never,
      access: {},
    }) as unknown as DeclaredResource,
)

export function namesSuite(name: string, make: MakeDatabase): void {
  describe(`${name}: names`, () => {
    test('of fields, any of them', async () => {
      const database = await make()
      const catalog = declare([wordy])
      const resource = catalog.get('wordy')
      for (const n of [1, 2]) {
        const storage = await database.open(catalog) // the second time nothing is left to do
        const record = { id: idOf(n), ...Object.fromEntries(words.map((word) => [word, `${textOf(word)} ${n}`])) }
        await storage.transaction(tester, (transaction) => transaction.insert(resource, record))
        for (const word of words) {
          const found = await storage.find(resource, equal(word, `${textOf(word)} ${n}`))
          assert.equal(found?.row.id, idOf(n), word)
          const part = { kind: 'contains', field: word, text: `${word.slice(0, 9).toUpperCase()} ${n}` } as const
          assert.equal(await storage.count(resource, part), 1, word)
        }
        assert.equal(await storage.count(resource, searching('xmin')), n)
        await assert.rejects(
          storage.transaction(tester, (transaction) => transaction.insert(resource, { ...record, id: idOf(n + 5) })),
          (error) => error instanceof ApiError && error.message === `rowid and ${long} must be unique`,
        )
        await storage.close()
      }
      await database.remove()
    })

    test('of resources, any of them', async () => {
      const database = await make()
      const catalog = declare(tabled)
      const storage = await database.open(catalog)
      for (const one of tables) {
        const resource = catalog.get(one)
        const [first, second] = await storage.transaction(tester, async (transaction) => [
          await transaction.insert(resource, { title: 'First one', xmin: 1 }),
          await transaction.insert(resource, { title: 'Second', xmin: 2, aboveId: 1 }),
        ])
        assert.deepEqual([first?.id, second?.id], [1, 2], one)
        assert.equal(await storage.count(resource, searching('fir')), 1)
        assert.equal(await storage.count(resource, { kind: 'contains', field: 'title', text: 'ECON' }), 1)
        const rows = await storage.list(resource, { where: always, sort: by('-xmin'), limit: 5 })
        assert.deepEqual(
          rows.map(({ xmin }) => xmin),
          [2, 1],
        )
      }
      await storage.close()
      await database.remove()
    })

    test('that an earlier version gave go on under those of today', async () => {
      const database = await make()
      const field = 'b'.repeat(55)
      const catalog = declare([
        defineResource({
          name: field,
          fields: { id: id(), [field]: text(), n: integer() } as Fields,
          list: { style: 'page', sortable: [field] } as never,
          access: {},
        }) as unknown as DeclaredResource,
      ])
      const resource = catalog.get(field)
      const begun = await database.open(catalog)
      await begun.transaction(tester, (transaction) =>
        transaction.insert(resource, { id: idOf(1), [field]: 'Kept', n: 7 }),
      )
      await begun.close()
      const [table, column] = [tableNameOf(`${field}s`), columnNameOf(field)]
      const [oldTable, oldColumn] = [snakeOf(`${field}s`), snakeOf(field)]
      assert.ok(table.length < oldTable.length && column.length < oldColumn.length)
      await database.writePast(`
        ALTER TABLE "${table}" RENAME COLUMN "${column}" TO "${oldColumn}";
        ALTER TABLE "${table}" RENAME COLUMN "${column}_folded" TO "${oldColumn}_folded";
        ALTER TABLE "${table}" RENAME TO "${oldTable}";
        UPDATE bindery_meta SET value = replace(replace(value, '"${table}"', '"${oldTable}"'), '"${column}', '"${oldColumn}') WHERE name IN ('model', 'meanings')`)
      for (const _again of [1, 2]) {
        const storage = await database.open(catalog)
        const found = await storage.find(resource, equal(field, 'Kept'))
        assert.deepEqual(found?.row, { id: idOf(1), [field]: 'Kept', n: 7, version: 1 })
        assert.equal(await storage.count(resource, { kind: 'contains', field, text: 'KEP' }), 1)
        await storage.close()
      }
      await database.remove()
    })
  })
}
