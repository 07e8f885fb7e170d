/** An application with endpoints of every form, for the tests of endpoints. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  accounts,
  anyOf,
  anyone,
  boolean,
  bytes,
  defineEndpoint,
  defineResource,
  defineResources,
  defineSettings,
  id,
  integer,
  lines,
  money,
  object,
  objectList,
  owner,
  reference,
  role,
  text,
  user,
} from '../../../src/index.ts'

const productFields = {
  id: id(),
  name: text({ required: true, unique: true, maxLength: 100 }),
  price: money({ required: true }),
  cost: money({ read: role('EDITOR') }),
  stock: integer({ default: 0 }),
}
export const products = defineResource({
  name: 'product',
  path: '/products',
  atRoot: true,
  fields: productFields,
  list: { style: 'page', sortable: ['name'], filterable: ['name', 'stock'] },
  access: { read: anyone, write: role('EDITOR') },
})

const orderFields = {
  id: id(),
  userId: reference('user', { setBy: 'principal', onDelete: 'clear' }),
  productId: reference('product', { required: true }),
  quantity: integer({ required: true, min: 1 }),
  isPaid: boolean({ default: false }),
}
export const orders = defineResource({
  name: 'order',
  path: '/orders',
  fields: orderFields,
  list: { style: 'page' },
  access: { list: user, get: anyOf([owner('userId'), role('EDITOR')]), create: user, write: role('EDITOR') },
})

export const payments = defineResource({
  name: 'payment',
  path: '/payments',
  fields: { id: id(), event: text({ required: true, maxLength: 200 }), orderId: text({ maxLength: 100 }) },
  list: { style: 'page', filterable: ['event'] },
  access: { list: role('EDITOR') },
})

/** On nothing, open to every caller, with a query. */
export const priceList = defineEndpoint({
  name: 'priceList',
  method: 'GET',
  rule: anyone,
  summary: 'List prices',
  query: { currency: text({ maxLength: 3, default: 'EUR' }), least: money() },
  output: {
    currency: text({ required: true }),
    prices: objectList({ name: text({ required: true }), price: money({ required: true }) }, { required: true }),
  },
  async run({ query, records }) {
    const all = await records(products).list({})
    const prices = all.filter(({ price = 0 }) => price >= (query.least ?? 0))
    return {
      currency: query.currency,
      prices: prices.map(({ name = '', price = 0 }) => ({ name, price })),
    }
  },
})

/** On a record, by the rule of its owner. */
export const quote = defineEndpoint({
  name: 'quote',
  method: 'POST',
  on: { record: orders },
  rule: owner('userId'),
  input: {
    coupon: text({ maxLength: 20 }),
    address: object({ street: text({ required: true }), zip: text() }, { required: true }),
  },
  output: { total: money({ required: true }), to: text({ required: true }), note: text() },
  errors: { conflict: 'There is no such coupon', 'bad-request': 'The address is not served' },
  async run({ record, input, records, refuse, caller }) {
    if (input.coupon === 'OLD') return refuse('conflict')
    if (input.address.zip === '00000') return refuse('bad-request', 'zip 00000 is not served', 'address')
    if (input.coupon === 'BROKEN') throw new Error('secret of the inside')
    const { price } = await records.system(products).get(record.productId as string)
    return { total: price * (record.quantity ?? 0), to: `${input.address.street} of ${caller.userId}` }
  },
})

/** On a collection, for a role, with a transaction. */
export const restock = defineEndpoint({
  name: 'restock',
  method: 'POST',
  on: { collection: products },
  rule: role('EDITOR'),
  input: { amount: integer({ required: true, min: 1 }), fails: boolean({ default: false }) },
  output: { changed: integer({ required: true }) },
  async run({ input, transaction }) {
    return transaction(async ({ records, refuse }) => {
      const all = await records.system(products).list({})
      for (const { id: one, stock } of all) await records.system(products).update(one, { stock: stock + input.amount })
      if (input.fails) refuse('Nothing fits into the store')
      return { changed: all.length }
    })
  },
})

/** Ends of streams that the endpoints below have seen, by name. */
export const ended: string[] = []

export const exportLines = defineEndpoint({
  name: 'exportLines',
  method: 'GET',
  on: { collection: products },
  rule: user,
  query: { count: integer({ default: 3 }), failsAt: integer() },
  output: lines({ number: integer({ required: true }), price: money() }),
  async *run({ query, signal }) {
    try {
      for (let number = 0; number < (query.count ?? 0) && !signal.aborted; number += 1) {
        if (number === query.failsAt) throw new Error('secret of the stream')
        yield { number, price: 150 }
      }
    } finally {
      ended.push('exportLines')
    }
  },
})

export const report = defineEndpoint({
  name: 'report',
  method: 'GET',
  rule: anyone,
  query: { waits: boolean({ default: false }) },
  output: bytes('text/csv; charset=utf-8'),
  run({ query, signal }) {
    if (!query.waits) return 'name,price\nLamp,1.50\n'
    return (async function* () {
      yield 'name,price\n'
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      ended.push('report')
    })()
  },
})

const secret = 'whsec_test'
const senders = defineSettings({ fields: { senderKey: text({ default: secret }) }, secret: ['senderKey'] })
export const sign = (body: string) => createHmac('sha256', secret).update(body).digest('hex')

type PaidEvent = { readonly id: string; readonly order: string | null }
/** How often the code of the webhook ran. */
export const runs: string[] = []

export const paid = defineEndpoint({
  name: 'paid',
  method: 'POST',
  rule: anyone,
  body: 'raw',
  verify({ body, request, settings }): PaidEvent | false {
    const sent = Buffer.from(String(request.headers['x-signature'] ?? ''), 'hex')
    const wanted = createHmac('sha256', settings.of(senders).senderKey ?? '')
      .update(body)
      .digest()
    if (sent.length !== wanted.length || !timingSafeEqual(sent, wanted)) return false
    return JSON.parse(body.toString()) as PaidEvent
  },
  once: ({ verified }) => verified.id,
  output: { received: text({ required: true }) },
  async run({ verified, transaction }) {
    runs.push(verified.id)
    return transaction(async ({ records, refuse }) => {
      if (verified.order === 'refused') refuse('There is no such order')
      const { id: made } = await records.system(payments).create({
        event: verified.id,
        orderId: verified.order,
      })
      return { received: made }
    })
  },
})

export const slow = defineEndpoint({
  name: 'slow',
  method: 'GET',
  rule: anyone,
  limits: { seconds: 1, rate: '2/1h' },
  async run({ signal }) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    ended.push('slow')
  },
})

export const small = defineEndpoint({
  name: 'small',
  method: 'POST',
  rule: user,
  input: { note: text({ required: true, maxLength: 1000 }) },
  limits: { bodyBytes: 100 },
  async run({ input, records }) {
    await records.system(payments).create({ event: input.note })
  },
})

export const people = accounts({ roles: ['USER', 'EDITOR', 'ADMIN'], keys: true })
export const endpoints = [priceList, quote, restock, exportLines, report, paid, slow, small] as const
export const shop = defineResources([...people, products, orders, payments, senders, ...endpoints])
