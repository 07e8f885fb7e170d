/**
 * The indexes that a declaration creates: one for each sort, and for each filter with an order;
 * none that the declaration excludes.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import {
  atLeast,
  boolean,
  defineResource,
  equals,
  id,
  integer,
  isTrue,
  reference,
  text,
  timestamp,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { modelOf } from '../../src/storage/model/model.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'

const fields = {
  id: id(),
  makerId: reference('maker'),
  name: text({ required: true, unique: true }),
  kind: text(),
  price: integer(),
  stock: integer(),
  inStock: boolean(),
  createdAt: timestamp({ setOn: 'create' }),
}
const list = {
  style: 'page',
  sortable: ['id', 'name', 'kind', 'price', 'stock', 'createdAt'],
  defaultSort: '-createdAt',
  filters: { kind: equals('kind'), inStock: isTrue('inStock'), minPrice: atLeast('price') },
} as const
const makers = defineResource({ name: 'maker', fields: { id: id() }, access: {} })

function indexesWith(unindexed: readonly ('kind' | 'price' | 'stock')[]): Record<string, string> {
  const things = defineResource({ name: 'thing', path: '/things', fields, list: { ...list, unindexed }, access: {} })
  const table = modelOf(makeCatalog([makers, things])).tables.find(({ name }) => name === 'things')
  return Object.fromEntries((table?.indexes ?? []).map(({ name, columns }) => [name, columns.join()]))
}

const kept = {
  things_name_folded_key: 'name_folded',
  things_maker_id_created_at_id_idx: 'maker_id,created_at,id,in_stock',
}

test('each sort has one, and one behind each equality filter', () => {
  assert.deepEqual(indexesWith([]), {
    ...kept,
    things_name_id_idx: 'name,id,in_stock',
    things_kind_id_idx: 'kind,id,in_stock',
    things_price_id_idx: 'price,id,in_stock',
    things_stock_id_idx: 'stock,id,in_stock',
    things_created_at_id_idx: 'created_at,id,in_stock',
    things_kind_created_at_id_idx: 'kind,created_at,id,in_stock',
    things_kind_name_id_idx: 'kind,name,id,in_stock',
    things_kind_price_id_idx: 'kind,price,id,in_stock',
    things_kind_stock_id_idx: 'kind,stock,id,in_stock',
  })
})

test('a declaration declines those of a sort, a range or a filter', () => {
  const declined = indexesWith(['stock', 'price'])
  assert.equal(declined.things_stock_id_idx, undefined)
  assert.equal(declined.things_price_id_idx, undefined)
  assert.equal(declined.things_kind_price_id_idx, undefined)
  assert.deepEqual(indexesWith(['kind']), {
    ...kept,
    things_name_id_idx: 'name,id,in_stock',
    things_price_id_idx: 'price,id,in_stock',
    things_stock_id_idx: 'stock,id,in_stock',
    things_created_at_id_idx: 'created_at,id,in_stock',
  })
})

const mistakes: readonly (readonly [string, string])[] = [
  ['size', 'no field "size"'],
  ['inStock', ''],
  ['id', '"id" is a key, and keys keep their index'],
  ['makerId', '"makerId" is a reference, and references keep their index'],
  ['note', '"note" has no index: it is neither sortable nor filtered'],
  ['createdAt', '"createdAt" is the default sort, which every list without a sort walks'],
]
for (const [name, says] of mistakes) {
  test(`declining the index of ${name}: ${says || 'no mistake'}`, () => {
    const declaration = { name: 'thing', path: '/things', fields: { ...fields, note: text() }, access: {} }
    const make = () =>
      makeCatalog([makers, defineResource({ ...declaration, list: { ...list, unindexed: [name as 'kind'] } })])
    if (says === '') assert.doesNotThrow(make)
    else assert.throws(make, (error: Error) => error.message.includes(`thing: list.unindexed: ${says}`))
  })
}

test('a folder of another declaration gets its indexes at the next start, which says so', async () => {
  const folder = temporaryFolder()
  const said: string[] = []
  const openWith = async (unindexed: readonly 'stock'[]) => {
    const things = defineResource({ name: 'thing', path: '/things', fields, list: { ...list, unindexed }, access: {} })
    const report = (message: string) => void said.push(message)
    await (await openSqlite(join(folder, 'test.db'), makeCatalog([makers, things]), { heldMs: 0, report })).close()
    const file = new DatabaseSync(join(folder, 'test.db'), { readOnly: true })
    const found = file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'things_stock_id_idx'").get()
    file.close()
    return found !== undefined
  }
  assert.equal(await openWith(['stock']), false)
  assert.deepEqual(said, [])
  assert.equal(await openWith([]), true)
  assert.deepEqual(said, ['Making the index things_stock_id_idx', 'Making the index things_kind_stock_id_idx'])
  assert.equal(await openWith(['stock']), false)
  removeFolder(folder)
})
