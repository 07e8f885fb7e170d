/**
 * `_explain=access` of upserts and of bodies with children: what decides about the record that the
 * key names, and about each child. The same request says the same without the parameter.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  accounts,
  anyOf,
  anyone,
  choice,
  defineResource,
  id,
  integer,
  owner,
  reference,
  role,
  text,
  through,
  user,
  where,
} from '../../src/index.ts'
import { startService, type TestPerson } from '../../src/testing/index.ts'

const people = accounts({ roles: ['USER', 'ADMIN'] })
const orders = defineResource({
  name: 'order',
  path: '/orders',
  fields: {
    id: id(),
    code: text({ required: true, unique: true, maxLength: 20 }),
    state: choice(['OPEN', 'CLOSED', 'SECRET'], { default: 'OPEN' }),
    ownerId: reference(people.users.name, { setBy: 'principal', onDelete: 'clear' }),
  },
  list: { style: 'page' },
  upsert: ['code'],
  children: {
    items: { resource: 'item', by: 'orderId', inBody: true },
    remarks: { resource: 'remark', by: 'orderId', inBody: true },
  },
  access: {
    read: anyOf([owner('ownerId'), where({ state: { in: ['OPEN', 'CLOSED'] } })]),
    create: user,
    update: owner('ownerId'),
    replace: owner('ownerId'),
  },
  explainAccess: user,
})
const items = defineResource({
  name: 'item',
  path: '/items',
  fields: {
    id: id(),
    orderId: reference('order', { required: true, onDelete: 'delete' }),
    productId: reference('product', { onDelete: 'clear' }),
    amount: integer({ required: true, min: 0 }),
    discount: integer({ default: 0, write: role('ADMIN') }),
  },
  list: { style: 'page' },
  children: { parcels: { resource: 'parcel', by: 'itemId', inBody: true } },
  access: {
    read: anyone,
    create: through('orderId', where({ state: 'OPEN' })),
    update: through('orderId', where({ state: 'OPEN' })),
    delete: where({ amount: 0 }),
  },
  explainAccess: user,
})
const parcels = defineResource({
  name: 'parcel',
  path: '/parcels',
  fields: {
    id: id(),
    itemId: reference('item', { required: true, onDelete: 'delete' }),
    label: text({ required: true, maxLength: 9 }),
  },
  list: { style: 'page' },
  access: { read: anyone, write: through('itemId', where({ amount: { gte: 10 } })) },
  explainAccess: user,
})
/** Its rules are explained to operators alone. */
const remarks = defineResource({
  name: 'remark',
  path: '/remarks',
  fields: {
    id: id(),
    orderId: reference('order', { required: true, onDelete: 'delete' }),
    text: text({ required: true }),
  },
  list: { style: 'page' },
  access: { read: anyone, create: user, update: role('ADMIN') },
})
const products = defineResource({
  name: 'product',
  path: '/products',
  fields: { id: id(), name: text() },
  list: { style: 'page' },
  access: { read: anyone, create: user },
})

const service = await startService([orders, items, parcels, remarks, products, ...people])
after(() => service.stop())
const [ann, ben] = [await service.person(), await service.person()]
const ask = (method: string, path: string, by: TestPerson | undefined, body?: unknown) =>
  service.ask(method, `/api/v1${path}`, { ...(by && { token: by.token }), ...(body !== undefined && { body }) })
const why = (method: string, path: string, by: TestPerson, body?: unknown) =>
  ask(method, `${path}${path.includes('?') ? '&' : '?'}_explain=access`, by, body)
async function explained(method: string, path: string, by: TestPerson, body?: unknown) {
  const { status, body: said, text } = await why(method, path, by, body)
  assert.equal(status, 200, text)
  return said.data
}
async function made(path: string, body: object, by = ann): Promise<string> {
  const { status, body: one, text } = await ask('POST', path, by, body)
  assert.equal(status, 201, text)
  return one.id
}
const absent = '0190f6a0-0000-7000-8000-000000000000'
let codes = 0
function code(): string {
  codes += 1
  return `c${codes}`
}
type Child = { at: string; allowed: boolean | null; operation: string; refusal?: { message: string }; rules?: object[] }
const told = ({ allowed, children = [] }: { allowed: boolean | null; children?: Child[] }) => [
  allowed,
  ...children.map((one) => [one.at, one.operation, one.allowed]),
]
/** The request says what its explanation says; it is performed after it. */
async function agrees(method: string, path: string, by: TestPerson, body: object) {
  const data = await explained(method, path, by, body)
  const done = await ask(method, path, by, body)
  assert.equal(data.allowed, done.status < 300, `${JSON.stringify(data)} ${done.status} ${done.text}`)
  if (!data.allowed) assert.equal(data.refusal.message, done.body.error)
  return data
}

describe('an upsert', () => {
  it('is explained as the replace of the record that it finds, or as a create', async () => {
    const own = code()
    const path = '/orders?on=code'
    const first = await agrees('PUT', path, ann, { code: own })
    assert.deepEqual([first.operation, first.record, first.decidedBy], ['create', undefined, ['access.create']])
    const { body: stored } = await ask('GET', '/orders', ann)
    const second = await agrees('PUT', path, ann, { code: own })
    assert.deepEqual([second.operation, second.record], ['replace', stored.data[0].id])
    const other = await agrees('PUT', path, ben, { code: own })
    assert.deepEqual([other.operation, other.allowed], ['replace', false])
    assert.equal(other.refusal.message, 'Insufficient permissions')
  })

  it('tells nothing of a record that the caller may not see: it is as one that is not there', async () => {
    const hidden = code()
    await made('/orders', { code: hidden, state: 'SECRET' })
    const [one, none] = await Promise.all(
      [hidden, code()].map((value) => why('PUT', '/orders?on=code', ben, { code: value })),
    )
    assert.deepEqual([one?.status, one?.text], [200, none?.text])
    assert.equal(one?.body.data.operation, 'create')
  })

  it('is refused as the request where its key or its body is wrong, and for those who may not ask', async () => {
    for (const [path, body] of [
      ['/orders', { code: 'x' }],
      ['/orders?on=state', { code: 'x' }],
      ['/orders?on=code', {}],
      ['/orders?on=code', { code: null }],
      ['/orders?on=code', { code: 'x', odd: 1 }],
      ['/orders?on=code', undefined],
    ] as const) {
      const [asked, done] = [await why('PUT', path, ann, body), await ask('PUT', path, ann, body)]
      assert.deepEqual([asked.status, asked.text], [400, done.text], path)
    }
    const refused = await ask('PUT', '/orders?on=code&_explain=access', undefined, { code: 'x' })
    assert.equal(refused.status, 401)
  })

  it('reads no body where the request is refused before: a text that is no JSON is no error of the server', async () => {
    const sent = { token: ann.token, raw: '{"code":', type: 'application/json' }
    const asked = await service.ask('PUT', '/api/v1/orders?on=state&_explain=access', sent)
    const done = await service.ask('PUT', '/api/v1/orders?on=state', sent)
    assert.deepEqual([asked.status, asked.text], [400, done.text])
  })

  it('performs nothing', async () => {
    const total = async () => (await ask('GET', '/orders', ann)).body.meta.total
    const before = await total()
    await explained('PUT', '/orders?on=code', ann, { code: code(), items: [{ amount: 1 }] })
    assert.equal(await total(), before)
  })
})

describe('children in a body', () => {
  it('are explained each by its own rule, below the record as it would be', async () => {
    const data = await agrees('POST', '/orders', ann, {
      code: code(),
      items: [{ amount: 10, parcels: [{ label: 'a' }] }, { amount: 1 }],
      remarks: [{ text: 'r' }],
    })
    assert.deepEqual(told(data), [
      true,
      ['items[0]', 'create', true],
      ['items[0].parcels[0]', 'create', true],
      ['items[1]', 'create', true],
      ['remarks[0]', 'create', true],
    ])
    assert.deepEqual(data.children[0].decidedBy, ['access.create.through(orderId)'])
    assert.equal(data.children[0].rules[0].parts[0].compared[0].is, 'OPEN')
    // Its rules are not for this caller.
    assert.deepEqual(data.children[3], { at: 'remarks[0]', allowed: true, operation: 'create', resource: 'remarks' })
  })

  it('that refuse name their place, and the clause', async () => {
    const closed = await agrees('POST', '/orders', ann, { code: code(), state: 'CLOSED', items: [{ amount: 1 }] })
    assert.deepEqual(told(closed), [false, ['items[0]', 'create', false]])
    assert.deepEqual(closed.decidedBy, ['items[0]'])
    assert.match(closed.refusal.message, /^items\[0\]: /)
    assert.deepEqual(closed.children[0].decidedBy, ['access.create.through(orderId)'])
    const light = await agrees('POST', '/orders', ann, {
      code: code(),
      items: { create: [{ amount: 1, parcels: [{ label: 'a' }] }] },
    })
    assert.deepEqual(light.decidedBy, ['items.create[0].parcels[0]'])
    const cheap = await agrees('POST', '/orders', ann, { code: code(), items: [{ amount: 1, discount: 5 }] })
    assert.deepEqual(cheap.children[0].decidedBy, ['fields.discount.write'])
  })

  it('of an update are found below it, and judged by the record that it leaves', async () => {
    const order = await made('/orders', { code: code() })
    const [item, empty] = [
      await made('/items', { orderId: order, amount: 2 }),
      await made('/items', { orderId: order, amount: 0 }),
    ]
    const path = `/orders/${order}`
    const close = { state: 'CLOSED', items: { update: [{ id: item, amount: 3 }], delete: [empty] } }
    const data = await agrees('PATCH', path, ann, close)
    assert.deepEqual(told(data), [false, ['items.delete[0]', 'delete', true], ['items.update[0]', 'update', false]])
    assert.equal(data.children[1].record, item)
    const full = await agrees('PATCH', path, ann, { items: { delete: [item] } })
    assert.deepEqual(told(full), [false, ['items.delete[0]', 'delete', false]])
    const fine = await agrees('PATCH', path, ann, { items: { update: [{ id: item, amount: 3 }], delete: [empty] } })
    assert.equal(fine.allowed, true)
    // The record itself refuses first, and its children are explained all the same.
    const other = await agrees('PATCH', path, ben, { items: { create: [{ amount: 1 }] } })
    assert.deepEqual(told(other), [false, ['items.create[0]', 'create', true]])
    assert.deepEqual(other.decidedBy, ['access.update'])
  })

  it('that the caller may write on no record refuse before all rules', async () => {
    const order = await made('/orders', { code: code() })
    const remark = await made('/remarks', { orderId: order, text: 'r' })
    for (const by of [ann, ben]) {
      const data = await agrees('PATCH', `/orders/${order}`, by, {
        items: { create: [{ amount: 1, odd: 1 }] },
        remarks: { update: [{ id: remark, text: 'x' }] },
      })
      assert.deepEqual(data.decidedBy, ['remarks.update[0]'])
    }
  })

  it('that are not there, or have wrong values, are told as the request tells them', async () => {
    const order = await made('/orders', { code: code() })
    const foreign = await made('/items', { orderId: await made('/orders', { code: code() }), amount: 0 })
    for (const body of [
      { items: { update: [{ id: absent, amount: 1 }] } },
      { items: { delete: [foreign] } },
      { items: { create: [{ amount: -1 }, { odd: 1 }] } },
      { items: { create: [{ amount: 1, productId: absent }] } },
      { items: [{ amount: 1 }] },
      { items: { create: [{ amount: 1, parcels: [{ label: 'much too long' }] }] } },
    ]) {
      const path = `/orders/${order}`
      const [asked, done] = [await why('PATCH', path, ann, body), await ask('PATCH', path, ann, body)]
      assert.deepEqual([asked.status, asked.text], [done.status, done.text], JSON.stringify(body))
      assert.ok(done.status >= 400)
    }
    // A rule of the record refuses first.
    const early = await agrees('PATCH', `/orders/${order}`, ben, { items: { delete: [foreign] } })
    assert.deepEqual(told(early), [false, ['items.delete[0]', 'delete', false]])
  })

  it('of an upsert are those of the create or the replace', async () => {
    const own = code()
    const body = { code: own, items: { create: [{ amount: 1 }] } }
    assert.deepEqual(told(await agrees('PUT', '/orders?on=code', ann, body)), [
      true,
      ['items.create[0]', 'create', true],
    ])
    assert.equal((await agrees('PUT', '/orders?on=code', ann, body)).operation, 'replace')
    assert.equal((await agrees('PUT', '/orders?on=code', ben, body)).allowed, false)
  })
})
