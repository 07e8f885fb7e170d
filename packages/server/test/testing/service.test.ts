/** What applications test with: a service in a line, records that a test starts from, and a clock. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anyone, defineResource, id, integer, money, reference, text, timestamp } from 'bindery-server'
import { startService } from 'bindery-server/test'
import { resources } from '../application/resources/index.ts'
import { startService as startApplication, type TestService } from '../helpers/application.ts'

const rule = { list: anyone, get: anyone, create: anyone }
const branches = defineResource({
  name: 'branch',
  path: '/branches',
  fields: { id: id(), name: text({ required: true }) },
  list: { style: 'page', sortable: ['name'], defaultSort: 'name' },
  access: rule,
})
const copies = defineResource({
  name: 'copy',
  path: '/copies',
  fields: {
    id: id(),
    branchId: reference('branch', { required: true, onDelete: 'delete' }),
    price: money({ required: true }),
    shelf: integer(),
    madeAt: timestamp({ setOn: 'create' }),
  },
  list: { style: 'page', sortable: ['price'], defaultSort: 'price' },
  access: rule,
})
/** A tree, each of whose records may name an office, which names a record of the tree. */
const regions = defineResource({
  name: 'region',
  path: '/regions',
  fields: { id: id(), aboveId: reference('region', { onDelete: 'clear' }), mainId: reference('office') },
  list: { style: 'page' },
  access: rule,
})
const offices = defineResource({
  name: 'office',
  path: '/offices',
  fields: { id: id(), regionId: reference('region', { required: true, onDelete: 'delete' }) },
  list: { style: 'page' },
  access: rule,
})

describe('an application without users', () => {
  let service: TestService
  before(async () => {
    service = await startService([branches, copies, regions, offices])
  })
  after(() => service.stop())

  test('a record of a tree is made once, with no other above it', async () => {
    const region = await service.make('region')
    assert.equal(region.aboveId, null)
    const office = await service.make('office', { regionId: region.id })
    assert.deepEqual((await service.make('region', { aboveId: region.id, mainId: office.id })).mainId, office.id)
  })

  test('a record is made with what it refers to, and shows what was given', async () => {
    const copy = await service.make('copy', { price: 12.5 })
    assert.equal(copy.price, 12.5)
    assert.equal(copy.shelf, null)
    const { body } = await service.ask('GET', `/api/v1/copies/${copy.id}`)
    assert.deepEqual(body, copy)
    assert.equal((await service.ask('GET', `/api/v1/branches/${copy.branchId}`)).status, 200)
  })

  test('what is wrong is named', async () => {
    await assert.rejects(service.make('copy', { prise: 1 }), /copy stores no field prise/)
    await assert.rejects(service.make('copy', { price: 'much' }), /price/)
    await assert.rejects(service.make('cup'), /cup/)
  })

  test('time passes when it is told to', async () => {
    const first = await service.make('copy')
    service.turn(3_600_000)
    const second = await service.make('copy')
    const between = Date.parse(String(second.madeAt)) - Date.parse(String(first.madeAt))
    assert.ok(between >= 3_600_000 && between < 3_700_000, `${between} ms`)
  })
})

describe('an application with users', () => {
  let service: TestService
  before(async () => {
    service = await startApplication()
  })
  after(() => service.stop())

  test('a record belongs to whom the test says, and no answer shows its secrets', async () => {
    const ann = await service.person()
    const key = await service.make('accessKey', { name: 'importer' }, { owner: ann })
    assert.equal(key.memberId, ann.id)
    assert.ok(!Object.values(key).some((value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)))
  })
})

test('a database can be chosen, whatever the run of the tests chose', async () => {
  const service = await startService(resources, { on: 'sqlite', clock: () => Date.parse('2026-01-01T00:00:00Z') })
  try {
    assert.equal(new Date(service.now()).toISOString(), '2026-01-01T00:00:00.000Z')
    assert.equal((await service.admin()).email, 'admin@example.com')
  } finally {
    await service.stop()
  }
})
