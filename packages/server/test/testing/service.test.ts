/** The test entry of the package: a service in one line, records to start from, and a clock. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  accounts,
  anyone,
  defineResource,
  embedded,
  id,
  integer,
  money,
  reference,
  role,
  text,
  timestamp,
  user,
} from 'bindery-server'
import { permissionMatrix, printMatrix, startService } from 'bindery-server/test'
import { resources } from '../application/resources/index.ts'
import { startService as startApplication, type TestService } from '../helpers/application.ts'
import { people } from '../service/people.ts'

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

/**
 * A club: a membership shows its fees, and may name the last of them, its sponsor and the box that
 * it has.
 */
const memberships = defineResource({
  name: 'membership',
  path: '/memberships',
  fields: {
    id: id(),
    memberId: reference('member', { setBy: 'principal', onDelete: 'clear' }),
    sponsorId: reference('member'),
    lastFeeId: reference('fee', { setBy: 'engine' }),
    fees: embedded('fee', 'membershipId'),
  },
  list: { style: 'page' },
  access: rule,
})
const fees = defineResource({
  name: 'fee',
  path: '/fees',
  fields: {
    id: id(),
    membershipId: reference('membership', { required: true, onDelete: 'refuse' }),
    madeById: reference('member', { required: true }),
    amount: money({ required: true }),
  },
  list: { style: 'page' },
  access: rule,
})
/** The engine's own users, and keys, which ADMINs make: as the template of programs with a key. */
const byKeysAlone = [
  ...accounts({
    roles: ['USER', 'EDITOR', 'ADMIN'],
    keys: { name: 'key', path: '/keys', access: { create: role('ADMIN') } },
  }),
  defineResource({
    name: 'parcel',
    path: '/parcels',
    fields: { id: id(), name: text() },
    list: { style: 'page' },
    access: { list: user, create: role('EDITOR') },
  }),
]

describe('an application without users', () => {
  let service: TestService
  before(async () => {
    service = await startService([branches, copies, regions, offices])
  })
  after(() => service.stop())

  test('a person or a key is refused with what to do instead', async () => {
    const noUsers = /This application has no users .*: ask without a credential/
    for (const asked of [() => service.admin(), () => service.person(), () => service.logIn('ann@example.com')])
      await assert.rejects(asked, noUsers)
    await assert.rejects(service.key({ id: '1' }), noUsers)
  })

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
    await assert.rejects(service.make('cup'), /No resource cup to make; there are branch, copy, region, office/)
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
    assert.equal(key.userId, ann.id)
    assert.ok(!Object.values(key).some((value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)))
  })
})

describe('an application by keys alone', () => {
  let service: TestService
  before(async () => {
    service = await startService(byKeysAlone)
  })
  after(() => service.stop())

  test('people of each role have keys, and tokens where they are accepted', async () => {
    const parcels = (credential: object) => service.ask('POST', '/api/v1/parcels', { ...credential, body: {} })
    const [ann, eve] = [await service.person(), await service.person('EDITOR')]
    const statuses = []
    for (const one of [ann, eve, await service.admin()])
      for (const credential of [{ key: await service.key(one) }, { token: one.token }])
        statuses.push((await parcels(credential)).status)
    assert.deepEqual(statuses, [403, 403, 201, 201, 201, 201])
  })

  test('a key has the values that it is given, and a mistake in them is named', async () => {
    const eve = await service.person('EDITOR')
    const status = async (extra: Record<string, unknown>) =>
      (await service.ask('GET', '/api/v1/parcels', { key: await service.key(eve, extra) })).status
    assert.deepEqual(
      [await status({ name: 'a' }), await status({ active: false }), await status({ scopes: ['keys:write'] })],
      [200, 401, 403],
    )
    assert.equal(await status({ expiresAt: '2020-01-01T00:00:00Z' }), 401)
    await assert.rejects(
      service.key(eve, { scopes: ['parcel:read'] }),
      /scopes has parcel:read, which names no resource/,
    )
    await assert.rejects(service.key(eve, { scope: ['parcels:read'] }), /key stores no field scope/)
  })
})

describe('an application with users and no keys', () => {
  let service: TestService
  before(async () => {
    service = await startService([...people, memberships, fees])
  })
  after(() => service.stop())
  const total = async (path: string) => (await service.ask('GET', path)).body.meta.total
  const counts = async () => {
    const { token } = await service.admin()
    const { body } = await service.ask('GET', '/api/v1/members', { token })
    return [body.meta.total, await total('/api/v1/memberships'), await total('/api/v1/fees')]
  }

  test('a record is made with what it cannot be without, and nothing else', async () => {
    assert.deepEqual(await counts(), [1, 0, 0])
    const ann = await service.person()
    const first = await service.make('membership', {}, { owner: ann })
    assert.deepEqual([first.memberId, first.sponsorId, first.lastFeeId], [ann.id, null, null])
    assert.deepEqual(await counts(), [2, 1, 0], 'the ADMIN and ann')
    const fee = await service.make('fee', { membershipId: first.id }, { owner: ann })
    assert.deepEqual(await counts(), [3, 1, 1], 'and the one who made the fee')
    const other = await service.make('fee')
    assert.deepEqual(await counts(), [3, 2, 2])
    assert.notEqual(other.membershipId, fee.membershipId)
    const told = { lastFeeId: fee.id, sponsorId: ann.id }
    const { lastFeeId, sponsorId } = await service.make('membership', told)
    assert.deepEqual({ lastFeeId, sponsorId }, told)
    await Promise.all(['membership', 'fee', 'membership'].map((name) => service.make(name)))
    assert.deepEqual(await counts(), [3, 6, 3])
  })

  test('a person who is made with a password logs in by it', async () => {
    await service.make('member', { email: 'eve@example.com', password: 'a horse of mine', role: 'EDITOR' })
    assert.equal((await service.logIn('eve@example.com', 'a horse of mine')).email, 'eve@example.com')
    const made = await service.make('member', { email: 'bob@example.com' })
    assert.equal((await service.logIn('bob@example.com')).id, made.id)
  })

  test('a key is refused with what to do instead', async () => {
    const ann = await service.person()
    await assert.rejects(service.key(ann), /This application has no API keys .*\{ token: person\.token \}/)
  })
})

test('the matrix has the callers that an application can have', async () => {
  const open = await permissionMatrix([branches])
  assert.deepEqual(
    open.map(({ statuses }) => statuses),
    [{ anonymous: 200 }, { anonymous: 200 }, { anonymous: 201 }],
  )
  const table = printMatrix(await permissionMatrix([...people, branches]))
  assert.match(table, /^operation +anonymous {2}stranger {2}owner {2}EDITOR {2}ADMIN$/m)
  assert.match(table, /^GET \/api\/v1\/members +401 +403 +403 +403 +200$/m)
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
