/**
 * Migrations on every database: an addition is applied and keeps the data; a change that would lose
 * data is refused and changes nothing.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { StartError } from '../../src/errors.ts'
import { boolean, defineResource, id, integer, integerId, reference, text, textList } from '../../src/index.ts'
import { type Catalog, makeCatalog } from '../../src/resource/catalog.ts'
import { always, equal } from '../../src/resource/condition.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'
import type { ListDeclaration } from '../../src/resource/list-declaration.ts'
import type { Row, Storage } from '../../src/storage/storage.ts'
import { compare, idOf, type MakeDatabase, searching, tester } from './library.ts'

const firstFields = { id: id(), name: text({ required: true }), note: text(), size: integer({ required: true }) }
const firstList: ListDeclaration = { style: 'page', sortable: ['name'], search: ['name'], filterable: ['size'] }

type More = {
  list?: Partial<ListDeclaration>
  unique?: readonly (readonly string[])[]
  others?: readonly DeclaredResource[]
  without?: boolean
}

function declare(fields: Fields, { list, unique = [], others = [], without = false }: More = {}): Catalog {
  const thing = defineResource({
    name: 'thing',
    fields,
    list: { ...firstList, ...list } as never,
    unique: unique as never,
    access: {},
  })
  const kept = defineResource({ name: 'kept', fields: { id: integerId() }, access: {} })
  return makeCatalog(without ? [kept, ...others] : [thing as unknown as DeclaredResource, kept, ...others])
}
const first = declare(firstFields)
const owner = defineResource({ name: 'owner', fields: { id: integerId(), name: text({ required: true }) }, access: {} })

/** Additions: the new catalog, and the content of the two old records afterwards. */
const growing: readonly (readonly [string, Catalog, Readonly<Record<string, unknown>>])[] = [
  ['a new resource', declare(firstFields, { others: [owner] }), {}],
  ['a new optional field', declare({ ...firstFields, extra: integer() }), { extra: null }],
  ['a new text with a default', declare({ ...firstFields, extra: text({ default: "it's" }) }), { extra: "it's" }],
  ['a new boolean with a default', declare({ ...firstFields, extra: boolean({ default: false }) }), { extra: false }],
  ['a new list', declare({ ...firstFields, extra: textList() }), { extra: [] }],
  ['a new reference', declare({ ...firstFields, extra: reference('owner') }, { others: [owner] }), { extra: null }],
  ['a new index', declare(firstFields, { list: { sortable: ['name', 'size'] } }), {}],
  ['an index declined', declare(firstFields, { list: { sortable: ['name', 'size'], unindexed: ['size'] } }), {}],
  ['fewer indexes', declare(firstFields, { list: { sortable: [] } }), {}],
  ['a new filter', declare(firstFields, { list: { filterable: ['size', 'note'] } }), {}],
  ['a new unique key', declare(firstFields, { unique: [['name', 'size']] }), {}],
  ['no search any more', declare(firstFields, { list: { search: [] } }), {}],
  ['required becomes optional', declare({ ...firstFields, size: integer() }), {}],
  [
    'all at once',
    declare(
      { ...firstFields, size: integer(), extra: text({ default: 'x', unique: false }) },
      { list: { sortable: ['size', 'extra'], search: ['name', 'extra'] }, others: [owner] },
    ),
    { extra: 'x' },
  ],
]

/** Changes that would lose data, and the text of their refusal. */
const losing: readonly (readonly [string, Catalog, RegExp])[] = [
  [
    'a field is dropped',
    declare({ id: id(), name: text({ required: true }), size: integer({ required: true }) }),
    /things\.note .*no longer declared/,
  ],
  ['a resource is dropped', declare(firstFields, { without: true }), /table things is no longer declared/],
  ['a type changes', declare({ ...firstFields, note: integer() }), /things\.note changes from text to integer/],
  [
    'a new field is required',
    declare({ ...firstFields, extra: integer({ required: true }) }),
    /things\.extra is new and required.*default/,
  ],
  [
    'optional becomes required',
    declare({ ...firstFields, note: text({ required: true }) }),
    /things\.note changes from text to text not null/,
  ],
  ['an id of another kind', declare({ ...firstFields, id: integerId() }), /things\.id changes/],
]

const isStart = (message: RegExp) => (error: unknown) =>
  error instanceof StartError && message.test(error.message) && !error.message.includes('SQL')

export function migrationSuite(name: string, make: MakeDatabase): void {
  describe(`${name}: migration`, () => {
    const old = [1, 2].map((n) => ({
      id: idOf(n),
      name: n === 1 ? 'Crème' : 'Brûlée',
      note: n === 1 ? 'Été indien' : null,
      size: n,
    }))

    async function begin() {
      const database = await make()
      const storage = await database.open(first)
      await storage.transaction(tester, async (transaction) => {
        for (const values of old) await transaction.insert(first.get('thing'), values)
      })
      await storage.close()
      return database
    }
    async function recordsOf(
      storage: Awaited<ReturnType<Awaited<ReturnType<MakeDatabase>>['open']>>,
      catalog: Catalog,
    ) {
      const resource = catalog.get('thing')
      return storage.list(resource, { where: always, sort: [{ field: 'id', descending: false }], limit: 9 })
    }

    for (const [what, catalog, grown] of growing) {
      test(`${what}: done, and everything is kept`, async () => {
        const database = await begin()
        for (const _again of [1, 2]) {
          const storage = await database.open(catalog)
          assert.deepEqual(
            await recordsOf(storage, catalog),
            old.map((values) => ({ ...values, ...grown, version: 1 })),
          )
          await storage.close()
        }
        const storage = await database.open(catalog)
        const thing = catalog.get('thing')
        await storage.transaction(tester, (transaction) =>
          transaction.insert(thing, { ...grown, id: idOf(3), name: 'New', note: null, size: 3 }),
        )
        if (thing.list.search.length > 0) assert.equal(await storage.count(thing, searching('brul')), 1)
        await storage.close()
        await database.remove()
      })
    }

    test('a search that looks in more fields finds what was there before', async () => {
      const database = await begin()
      const catalog = declare(firstFields, { list: { search: ['name', 'note'] } })
      const storage = await database.open(catalog)
      assert.equal(await storage.count(catalog.get('thing'), searching('ete')), 1)
      assert.equal(await storage.count(catalog.get('thing'), searching('indien', 'cre')), 1)
      await storage.close()
      await database.remove()
    })

    test('a search that looks in fewer fields forgets the others', async () => {
      const database = await begin()
      await (await database.open(declare(firstFields, { list: { search: ['name', 'note'] } }))).close()
      const storage = await database.open(first)
      assert.equal(await storage.count(first.get('thing'), searching('ete')), 0)
      await storage.close()
      await database.remove()
    })

    test('a field that is filtered from now on is compared without case', async () => {
      const database = await begin()
      const catalog = declare(firstFields, { list: { filterable: ['note'] } })
      const storage = await database.open(catalog)
      assert.equal(await storage.count(catalog.get('thing'), { kind: 'contains', field: 'note', text: 'ÉTÉ' }), 1)
      await storage.close()
      await database.remove()
    })

    test('an optional value can be left out from now on', async () => {
      const database = await begin()
      const catalog = declare({ ...firstFields, size: integer() })
      const storage = await database.open(catalog)
      await storage.transaction(tester, (transaction) =>
        transaction.insert(catalog.get('thing'), { id: idOf(3), name: 'n', size: null }),
      )
      assert.equal(await storage.count(catalog.get('thing'), compare('size', 'gte', 0)), 2)
      await storage.close()
      await database.remove()
    })

    for (const [what, catalog, message] of losing) {
      test(`${what}: refused, and nothing has changed`, async () => {
        const database = await begin()
        await assert.rejects(async () => database.open(catalog), isStart(message))
        await assert.rejects(async () => database.open(catalog), isStart(/nothing was changed[\s\S]*export/))
        const storage = await database.open(first)
        assert.deepEqual(
          await recordsOf(storage, first),
          old.map((values) => ({ ...values, version: 1 })),
        )
        await storage.close()
        await database.remove()
      })
    }

    test('a new unique key that the data breaks: refused, and none of the other steps is left', async () => {
      const database = await begin()
      const storage = await database.open(first)
      await storage.transaction(tester, (transaction) =>
        transaction.insert(first.get('thing'), { id: idOf(3), name: 'CRÈME', note: null, size: 1 }),
      )
      await storage.close()
      const broken = declare({ ...firstFields, extra: integer() }, { unique: [['name', 'size']], others: [owner] })
      await assert.rejects(async () => database.open(broken), isStart(/things.*name.*unique/s))
      const again = await database.open(first)
      assert.equal(await again.count(first.get('thing'), always), 3)
      await again.close()
      const grown = declare({ ...firstFields, extra: integer() }, { others: [owner] })
      const after = await database.open(grown)
      assert.equal(await after.count(grown.get('owner'), always), 0)
      await after.close()
      await database.remove()
    })

    test('what happens on delete changes from any way to any other, and the rows stay', async () => {
      type End = 'delete' | 'clear' | 'keep' | 'refuse'
      const declared = (onDelete: End) => {
        const child = defineResource({
          name: 'child',
          fields: { id: integerId(), ownerId: reference('owner', { onDelete }), name: text() },
          list: { style: 'page', sortable: ['name'] },
          access: {},
        })
        return makeCatalog([owner, child as unknown as DeclaredResource])
      }
      const database = await make()
      const add = async (catalog: ReturnType<typeof declared>, storage: Storage, ownerId: number | null) =>
        storage.transaction(tester, async (transaction) => {
          await transaction.insertAll(catalog.get('child'), [{ id: null, ownerId, name: 'one' }])
        })
      const ends: End[] = [
        'clear',
        'keep',
        'refuse',
        'keep',
        'clear',
        'delete',
        'refuse',
        'clear',
        'refuse',
        'delete',
        'keep',
        'delete',
      ]
      let rows = 0
      for (const end of ends) {
        const catalog = declared(end)
        const storage = await database.open(catalog)
        const [owners, childs] = [catalog.get('owner'), catalog.get('child')]
        await storage.transaction(tester, async (transaction) => {
          await transaction.insertAll(owners, [{ id: null, name: end }])
        })
        const [last] = await storage.list(owners, {
          where: always,
          sort: [{ field: 'id', descending: true }],
          limit: 1,
        })
        await add(catalog, storage, last?.id as number)
        rows += 1
        assert.equal(await storage.count(childs, { kind: 'null', field: 'ownerId', isNull: false }), rows, end)
        // The database itself follows the declaration's `onDelete`; without a foreign key it leaves
        // the id.
        const gone = storage.transaction(tester, async (transaction) => {
          await transaction.deleteAll(owners, [last as Row])
          const [child] = await transaction.list(childs, {
            where: equal('ownerId', last?.id as number),
            sort: [],
            limit: 1,
          })
          const count = await transaction.count(childs, always)
          throw new Error(`${child ? 'kept' : count < rows ? 'deleted' : 'cleared'}`)
        })
        const says = { clear: 'cleared', delete: 'deleted', keep: 'kept', refuse: 'kept' }[end]
        await assert.rejects(gone, new RegExp(says), end)
        await storage.close()
      }
      const keep = declared('keep')
      const storage = await database.open(keep)
      await add(keep, storage, 4711)
      await storage.close()
      for (const end of ['clear', 'delete', 'refuse'] as const)
        await assert.rejects(
          async () => database.open(declared(end)),
          isStart(
            /childs\.owner_id refers to owners from now on, and rows have an id of no such record: 1 record \(\d+\); bring those/,
          ),
        )
      await database.remove()
    })
  })
}
