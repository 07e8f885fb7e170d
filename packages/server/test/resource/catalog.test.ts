/**
 * The catalog: the compiled form of a declaration, links between resources, and the spelling of
 * names.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findResource } from '../../src/command/find-resource.ts'
import {
  boolean,
  defineAction,
  defineResource,
  derived,
  id,
  integerId,
  isTrue,
  owner,
  password,
  reference,
  state,
  text,
  timestamp,
  user,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { kebabOf, labelOf, listOf, pluralOf, snakeOf, typeNameOf } from '../../src/resource/words/names.ts'

const shelf = defineResource({
  name: 'shelf',
  plural: 'shelves',
  path: '/shelves',
  atRoot: true,
  fields: {
    no: integerId(),
    label: text({ required: true, unique: true }),
    secret: password(),
    open: boolean({ default: true }),
    status: state(['EMPTY', 'FULL'], { default: 'EMPTY', transitions: { fill: { from: ['EMPTY'], to: 'FULL' } } }),
    size: derived(text(), () => 'large'),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  list: { style: 'page', sortable: ['label'], defaultSort: '-label', filters: { open: isTrue('open') } },
  access: { list: user, get: user, fill: user, dust: user },
  actions: { dust: defineAction({ run: async () => undefined }), fill: defineAction({ run: async () => undefined }) },
  children: {
    boxes: { resource: 'storageBox', by: 'shelfNo' },
    best: { resource: 'storageBox', by: 'bestOf', single: true, operations: ['get'] },
  },
})

const box = defineResource({
  name: 'storageBox',
  plural: 'storageBoxes',
  fields: {
    id: id(),
    shelfNo: reference('shelf', { setBy: 'parent', onDelete: 'delete' }),
    bestOf: reference('shelf', { onDelete: 'clear', touch: true }),
  },
  unique: [['bestOf']],
  list: { style: 'cursor' },
  access: { list: user, get: user, create: user, import: owner('shelfNo') },
})

const catalog = makeCatalog([shelf, box])
const shelves = catalog.get('shelf')
const boxes = catalog.get('storageBox')

describe('a resource of the catalog', () => {
  it('has its name in every spelling', () => {
    const { name, plural, label, typeName, slug, table, path, atRoot } = boxes
    assert.deepEqual(
      { name, plural, label, typeName, slug, table, path, atRoot },
      {
        name: 'storageBox',
        plural: 'storageBoxes',
        label: 'Storage box',
        typeName: 'StorageBox',
        slug: 'storage-boxes',
        table: 'storage_boxes',
        path: undefined,
        atRoot: false,
      },
    )
  })

  it('lists its fields by kind', () => {
    assert.deepEqual(shelves.fieldNames, ['no', 'label', 'secret', 'open', 'status', 'size', 'updatedAt'])
    assert.deepEqual(shelves.storedNames, ['no', 'label', 'secret', 'open', 'status', 'updatedAt'])
    assert.deepEqual(shelves.virtualNames, ['size'])
    assert.deepEqual(shelves.requiredNames, ['label'])
    assert.deepEqual([shelves.idField, shelves.updatedField], ['no', 'updatedAt'])
    assert.deepEqual(shelves.unique, [['label']])
  })

  it('sorts by the id last, in the direction of the key before it', () => {
    assert.deepEqual(shelves.list.defaultSort, [
      { field: 'label', descending: true },
      { field: 'no', descending: true },
    ])
    assert.deepEqual(boxes.list.defaultSort, [{ field: 'id', descending: true }])
  })

  it('can be filtered by what is stored and shown', () => {
    assert.deepEqual([...shelves.list.filterable], ['no', 'label', 'open', 'status', 'updatedAt'])
  })

  it('knows each action once, moves first', () => {
    assert.deepEqual(shelves.actionNames, ['fill', 'dust'])
    assert.equal(shelves.transitions.fill?.field, 'status')
  })

  it('knows where it was written', () =>
    assert.equal(shelves.writtenIn, 'packages/server/test/resource/catalog.test.ts'))
})

describe('resources of the catalog', () => {
  it('are tied to their children, with the operations that both sides allow', () => {
    assert.equal(shelves.children.boxes?.resource, boxes)
    assert.deepEqual(shelves.children.boxes?.operations, ['list', 'get', 'create'])
    assert.deepEqual(shelves.children.best?.operations, ['get'])
    assert.deepEqual([shelves.children.boxes?.single, shelves.children.best?.single], [false, true])
  })

  it('know who refers to them', () => {
    const links = shelves.referencedBy.map(({ resource, field, options }) => [
      resource.name,
      field,
      options.onDelete,
      options.touch,
    ])
    assert.deepEqual(links, [
      ['storageBox', 'shelfNo', 'delete', false],
      ['storageBox', 'bestOf', 'clear', true],
    ])
  })

  it('refer with the type of the id that they name', () => {
    const field = boxes.fields.shelfNo
    assert.equal(field?.type.column, 'integer')
    assert.equal(field?.type.parse('07', 'shelfNo', field), 7)
    assert.equal(box.fields.shelfNo?.type.column, 'text', 'the declaration itself stays as it was')
  })

  it('are found by name; another name is a bug', () => {
    assert.throws(() => catalog.get('chair'), /no resource chair in the catalog/)
    assert.equal(catalog.login, undefined)
  })
})

describe('a relation', () => {
  const access = { list: user, get: user }
  const squad = defineResource({
    name: 'squad',
    path: '/squads',
    fields: {
      id: id(),
      owner: text(),
      ownerId: reference('squad'),
      teamId: reference('squad'),
      coach: reference('squad'),
    },
    list: { style: 'page' },
    access,
    children: { team: { resource: 'squad', by: 'ownerId' }, coachRecord: { resource: 'squad', by: 'coach' } },
  })

  it('of a reference has a longer name where a field or a child has the short one', () => {
    const { relations } = makeCatalog([squad]).get('squad')
    const found = Object.entries(relations).map(([name, { kind, by }]) => `${name}: ${kind} by ${by}`)
    assert.deepEqual(found, [
      'ownerIdRecord: reference by ownerId',
      'teamIdRecord: reference by teamId',
      'coach_record: reference by coach',
      'team: children by ownerId',
      'coachRecord: children by coach',
    ])
  })
})

describe('a word at the command line', () => {
  const named = (name: string) => defineResource({ name, fields: { id: id() }, access: {} })

  it('is a plural before the name of another resource', () => {
    for (const list of [
      [named('book'), named('books')],
      [named('books'), named('book')],
    ]) {
      const made = makeCatalog(list)
      for (const [word, name] of [
        ['books', 'book'],
        ['book', 'book'],
        ['bookses', 'books'],
      ] as const)
        assert.equal(findResource(made, word).name, name, word)
    }
  })
})

describe('names', () => {
  const rows = [
    {
      name: 'category',
      plural: 'categories',
      snake: 'category',
      kebab: 'category',
      type: 'Category',
      label: 'Category',
    },
    { name: 'day', plural: 'days', snake: 'day', kebab: 'day', type: 'Day', label: 'Day' },
    { name: 'box', plural: 'boxes', snake: 'box', kebab: 'box', type: 'Box', label: 'Box' },
    { name: 'match', plural: 'matches', snake: 'match', kebab: 'match', type: 'Match', label: 'Match' },
    { name: 'bus', plural: 'buses', snake: 'bus', kebab: 'bus', type: 'Bus', label: 'Bus' },
    {
      name: 'orderItem',
      plural: 'orderItems',
      snake: 'order_item',
      kebab: 'order-item',
      type: 'OrderItem',
      label: 'Order item',
    },
    { name: 'apiKey', plural: 'apiKeys', snake: 'api_key', kebab: 'api-key', type: 'ApiKey', label: 'API key' },
    { name: 'v2Item', plural: 'v2Items', snake: 'v2_item', kebab: 'v2-item', type: 'V2Item', label: 'V2 item' },
  ]
  for (const { name, ...written } of rows) {
    it(name, () => {
      const found = {
        plural: pluralOf(name),
        snake: snakeOf(name),
        kebab: kebabOf(name),
        type: typeNameOf(name),
        label: labelOf(name),
      }
      assert.deepEqual(found, written)
    })
  }

  it('in a list', () => {
    assert.deepEqual(
      [[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map((words) => listOf(words)),
      ['', 'a', 'a and b', 'a, b and c'],
    )
  })
})
