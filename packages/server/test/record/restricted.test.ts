/**
 * `onDelete: 'refuse'`: a record cannot be deleted while others refer to it, by any interface. A
 * record that is deleted along with it refuses nothing.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { anyOf, defineAction, defineResource, id, owner, reference, role, text, user } from '../../src/index.ts'
import { resources, type TestPerson, type TestService } from '../helpers/application.ts'

const everything = { list: user, get: user, create: user, update: user, delete: user }
const list = { style: 'page', bulk: true } as const

const crates = defineResource({
  name: 'crate',
  path: '/crates',
  fields: { id: id(), name: text() },
  list,
  access: { ...everything, empty: user },
  actions: {
    empty: defineAction({
      async run({ record, records }) {
        await records(crates).deleteWhere({ id: (record as { id: string }).id })
        return undefined
      },
    }),
  },
})
const mine = anyOf([owner('memberId'), role('ADMIN')])
const fees = defineResource({
  name: 'fee',
  path: '/fees',
  fields: {
    id: id(),
    memberId: reference('member', { setBy: 'principal', onDelete: 'delete' }),
    crateId: reference('crate', { required: true, onDelete: 'refuse' }),
  },
  list,
  access: { list: mine, get: mine, create: user, update: mine, delete: mine },
})
const payments = defineResource({
  name: 'payment',
  path: '/payments',
  fields: { id: id(), crateId: reference('crate', { onDelete: 'refuse' }) },
  list,
  access: { create: user, update: role('ADMIN'), delete: role('ADMIN') },
})
const lots = defineResource({
  name: 'lot',
  path: '/lots',
  fields: { id: id(), crateId: reference('crate', { onDelete: 'delete' }) },
  list,
  access: everything,
})
const stamps = defineResource({
  name: 'stamp',
  path: '/stamps',
  fields: {
    id: id(),
    lotId: reference('lot', { onDelete: 'refuse' }),
    aboveId: reference('stamp', { onDelete: 'refuse' }),
    crateId: reference('crate', { onDelete: { deleteWhere: { isOdd: 'yes' } } }),
    isOdd: text(),
  },
  list,
  access: everything,
})
const pledges = defineResource({
  name: 'pledge',
  path: '/pledges',
  fields: { id: id(), memberId: reference('member', { setBy: 'principal', onDelete: 'refuse' }) },
  list,
  access: everything,
})

let own: TestService
let ann: TestPerson
let ben: TestPerson
before(async () => {
  own = await startOf([...resources, crates, fees, payments, lots, stamps, pledges])
  ann = await own.person()
  ben = await own.person()
})
after(() => own.stop())

async function made(path: string, body: object = {}, { token }: TestPerson = ann): Promise<string> {
  const reply = await own.ask('POST', `/api/v1${path}`, { body, token })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}
const remove = (path: string, { token }: TestPerson = ann) => own.ask('DELETE', `/api/v1${path}`, { token })
const totalOf = async (path: string, { token }: TestPerson = ann) =>
  (await own.ask('GET', `/api/v1${path}`, { token })).body.meta.total

test('every door that removes says how many records of which kind refuse, as far as the caller sees them', async () => {
  const crateId = await made('/crates', { name: 'held' })
  const fee = await made('/fees', { crateId })
  const second = await made('/fees', { crateId })
  const admin = await own.admin()
  const one = `/crates/${crateId}`
  const said = async (person: TestPerson) => {
    const reply = await remove(one, person)
    return [reply.status, reply.body?.error]
  }
  assert.deepEqual(await said(ann), [409, 'This crate cannot be deleted: 2 fees refer to it'])
  assert.deepEqual(await said(ben), [409, 'This crate cannot be deleted: other records refer to it'])
  await made('/fees', { crateId }, ben)
  assert.deepEqual(await said(ben), [409, 'This crate cannot be deleted: 1 fee and other records refer to it'])
  assert.deepEqual(await said(admin), [409, 'This crate cannot be deleted: 3 fees refer to it'])
  const payment = await made('/payments', { crateId })
  const words = 'This crate cannot be deleted: 2 fees and other records refer to it'
  const { token } = ann
  const doors = {
    bulk: await remove('/crates?name=held&limit=1'),
    'dry run': await own.ask('DELETE', `/api/v1${one}`, { token, headers: { prefer: 'dry-run' } }),
    keyed: await own.ask('DELETE', `/api/v1${one}`, { token, headers: { 'idempotency-key': 'held-1' } }),
    action: await own.ask('POST', `/api/v1${one}/empty`, { token }),
  }
  for (const [door, { status, body }] of Object.entries(doors))
    assert.deepEqual([status, body], [409, { error: words }], door)
  const operations = [{ method: 'DELETE', path: one }]
  const batch = await own.ask('POST', '/api/v1/batch', { body: { operations }, token })
  assert.deepEqual([batch.status, batch.body.error], [409, `operations[0]: ${words}; nothing was stored`])
  const query = `mutation { deleteCrate(id: "${crateId}") { id } }`
  const { errors } = (await own.ask('POST', '/graphql', { body: { query }, token })).body
  assert.deepEqual([errors[0].message, errors[0].extensions.code], [words, 'CONFLICT'])
  assert.equal(await totalOf('/crates?name=held'), 1)
  // Records that hang on it go first, in one batch too.
  const both = [fee, second].map((one) => ({ method: 'DELETE', path: `/fees/${one}` }))
  assert.equal((await own.ask('POST', '/api/v1/batch', { body: { operations: both }, token })).status, 200)
  assert.equal((await remove(`/payments/${payment}`, admin)).status, 204)
  assert.deepEqual(await said(ann), [409, 'This crate cannot be deleted: other records refer to it'])
  assert.equal((await remove(`/fees?crateId=${crateId}&limit=9`, admin)).body.deleted, 1)
  assert.deepEqual(await said(ann), [204, undefined])
})

test('what would go along may be refused as well, and refuses nothing itself', async () => {
  const crateId = await made('/crates', { name: 'deep' })
  const lotId = await made('/lots', { crateId })
  const stamp = await made('/stamps', { lotId })
  assert.deepEqual((await remove(`/crates/${crateId}`)).body, {
    error: 'This crate cannot be deleted: 1 stamp refers to it or to what would go with it',
  })
  assert.deepEqual((await remove(`/lots/${lotId}`)).body, { error: 'This lot cannot be deleted: 1 stamp refers to it' })
  assert.deepEqual([await totalOf(`/lots?crateId=${crateId}`), await totalOf(`/stamps?lotId=${lotId}`)], [1, 1])
  const { token } = ann
  await own.ask('PATCH', `/api/v1/stamps/${stamp}`, { body: { crateId, isOdd: 'yes' }, token })
  assert.equal((await remove(`/lots/${lotId}`)).status, 409)
  const dry = await own.ask('DELETE', `/api/v1/crates/${crateId}`, { token, headers: { prefer: 'dry-run' } })
  assert.deepEqual([dry.status, await totalOf(`/stamps?lotId=${lotId}`)], [204, 1])
  assert.equal((await remove(`/crates/${crateId}`)).status, 204)
  assert.equal(await totalOf(`/stamps?lotId=${lotId}`), 0)
})

test('a tree goes all at once, and not from above', async () => {
  const top = await made('/stamps', { isOdd: 'tree' })
  const low = await made('/stamps', { aboveId: top, isOdd: 'tree' })
  await made('/stamps', { aboveId: top, isOdd: 'leaf' })
  const many = await remove('/stamps?isOdd=tree&limit=2')
  assert.deepEqual([many.status, many.body], [409, { error: 'This stamp cannot be deleted: 1 stamp refers to it' }])
  assert.equal((await remove(`/stamps/${top}`)).body.error, 'This stamp cannot be deleted: 2 stamps refer to it')
  await own.ask('PATCH', '/api/v1/stamps?isOdd=leaf&limit=1', { body: { isOdd: 'tree' }, token: ann.token })
  assert.deepEqual((await remove('/stamps?isOdd=tree&limit=3')).body.deleted, 3)
  assert.equal((await remove(`/stamps/${low}`)).status, 404)
})

test('one’s own account stays while others’ work hangs on it, and a user’s delete in GraphQL too', async () => {
  const cat = await own.person()
  const pledge = await made('/pledges', {}, cat)
  const held = { error: 'This member cannot be deleted: 1 pledge refers to it' }
  const reply = await remove(`/members/${cat.id}`, cat)
  assert.deepEqual([reply.status, reply.body], [409, held])
  const query = `mutation { deleteMember(id: "${cat.id}") }`
  const { body } = await own.ask('POST', '/graphql', { body: { query }, token: (await own.admin()).token })
  assert.equal(body.errors[0].message, held.error)
  assert.equal((await own.ask('GET', `/api/v1/members/${cat.id}`, { token: cat.token })).status, 200)
  assert.equal((await remove(`/pledges/${pledge}`, cat)).status, 204)
  assert.equal((await remove(`/members/${cat.id}`, cat)).status, 204)
})

test('of a delete and a reference that come at once one is refused', async () => {
  const rounds = Array.from({ length: 12 }, async () => {
    const crateId = await made('/crates')
    const { token } = ann
    const [gone, fee] = await Promise.all([
      remove(`/crates/${crateId}`),
      own.ask('POST', '/api/v1/fees', { body: { crateId }, token }),
    ])
    const isThere = (await own.ask('GET', `/api/v1/crates/${crateId}`, { token })).status === 200
    return [gone.status, fee.status, isThere].join()
  })
  for (const outcome of await Promise.all(rounds)) assert.match(outcome, /^(204,400,false|409,201,true)$/)
})

test('of a delete of one’s account and a record in its name that come at once one is refused', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => own.person()))
  const rounds = people.map(async (one) => {
    const [gone, pledge] = await Promise.all([
      remove(`/members/${one.id}`, one),
      own.ask('POST', '/api/v1/pledges', { body: {}, token: one.token }),
    ])
    return [gone.status, pledge.status].join()
  })
  for (const outcome of await Promise.all(rounds)) assert.match(outcome, /^(204,(400|401)|409,201)$/)
})

test('the document says where a delete may be refused', async () => {
  const { paths } = (await own.ask('GET', '/openapi.json')).body
  const codes = (path: string) => Object.keys(paths[path].delete.responses)
  assert.equal(codes('/api/v1/crates/{id}').includes('409'), true)
  assert.equal(codes('/api/v1/members/{id}').includes('409'), true)
  assert.equal(codes('/api/v1/payments/{id}').includes('409'), false)
})
