/**
 * Cursors: each belongs to one query, a forged one is refused, and paging stays correct while other
 * requests create and delete records.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { importProducts, type Product, queryOf, readPages } from '../helpers/catalogue.ts'
import {
  askWith,
  check,
  checkReply,
  type Scenario,
  startService,
  type TestPerson,
  type TestService,
} from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let all: Product[]
const v1 = '/api/v1'
const at = `${v1}/products`
const invalid = 'Invalid cursor'

before(async () => {
  service = await startService()
  admin = await service.admin()
  const categories = ['Tools', null, 'Ä "quoted"', '', 'tools']
  const bodies = Array.from({ length: 75 }, (_, i) => ({
    name: `N${i % 6}`,
    category: categories[i % 5],
    price: (i % 7) * 1.1,
    stock: i % 4 === 0 ? null : i % 3,
  }))
  all = await importProducts(
    service,
    bodies.map((body) => ({ ...body, price: Math.round(body.price * 100) / 100 })),
  )
})
after(() => service.stop())

const get = (query: string) => service.ask('GET', at + query)
const ids = (records: readonly { readonly [name: string]: unknown }[]) => records.map((record) => record.id)

test('another limit or other fields go on; another filter or sort do not', async (t) => {
  const start = { sort: '-price', minPrice: '1', category: 'Tools', limit: '3' }
  const first = await get(queryOf({ ...start, cursor: '' }))
  const cursor = first.body.meta.nextCursor
  const whole = await readPages(get, start)
  const rest = await get(queryOf({ ...start, cursor, limit: '100', fields: 'name' }))
  assert.deepEqual(ids(rest.body.data), ids(whole.records).slice(3))
  const turned = await get(queryOf({ category: 'Tools', cursor, minPrice: '1', limit: '100', sort: '-price' }))
  assert.deepEqual(ids(turned.body.data), ids(whole.records).slice(3), 'the same filters in another order')
  const others: Record<string, string>[] = [
    { ...start, sort: 'price' },
    { ...start, sort: '-price,name' },
    { ...start, sort: '' },
    { ...start, minPrice: '2' },
    { ...start, category: 'tools' },
    { ...start, category: '' },
    { ...start, q: 'n' },
    { ...start, inStock: 'true' },
    { sort: '-price' },
  ]
  await check(
    t,
    service.ask,
    others.map(
      (query): Scenario => ({
        it: JSON.stringify(query),
        ask: `GET ${at}${queryOf({ ...query, cursor })}`,
        status: 400,
        error: invalid,
      }),
    ),
  )
  const elsewhere = [`${at}/${all[0]?.id}/reviews`, `${v1}/users`, `${v1}/orders`, `${v1}/posts`, '/messages']
  await check(
    t,
    askWith(service.ask, { token: admin.token }),
    elsewhere.map(
      (path): Scenario => ({ it: 'of another list', ask: `GET ${path}?cursor=${cursor}`, status: 400, error: invalid }),
    ),
  )
})

test('a cursor that was tampered with, or is none', async (t) => {
  const cursor: string = (await get('?cursor=&limit=5&sort=price')).body.meta.nextCursor
  assert.match(cursor, /^[\w-]+$/, 'fit for a URL')
  const text = Buffer.from(cursor, 'base64url').toString()
  const encode = (value: string) => Buffer.from(value).toString('base64url')
  const bad = [
    ...Array.from(cursor, (letter, i) => cursor.slice(0, i) + (letter === 'A' ? 'B' : 'A') + cursor.slice(i + 1)),
    ...[
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}==`,
      ` ${cursor}`,
      cursor + cursor,
      cursor.toUpperCase(),
      cursor.toLowerCase(),
    ],
    ...[
      encode(text.replace(/\d+(?=,")/, '1e400')),
      encode(text.replace(/\d+(?=,")/, 'null')),
      encode(text.replace(/\d+(?=,")/, '"x"')),
      encode(` ${text}`),
    ],
    ...[
      'abc',
      '0',
      '1',
      'null',
      '-',
      '%',
      '*',
      all[0]?.id ?? '',
      encode('{}'),
      encode('[]'),
      encode('null'),
      encode('[1,2,3]'),
      'A'.repeat(6000),
      '💥',
      "'",
    ],
  ]
  for (const one of bad) {
    const reply = await get(queryOf({ cursor: one, limit: '5', sort: 'price' }))
    checkReply({ status: 400, error: invalid }, reply)
  }
  await check(t, service.ask, [
    { it: 'with a page', ask: `GET ${at}?cursor=&page=1`, status: 400, says: /cursor.*page/ },
    { it: 'with a page', ask: `GET ${at}?page=2&sort=price&cursor=${cursor}`, status: 400, says: /cursor.*page/ },
    { it: 'with an empty page', ask: `GET ${at}?cursor=&page=`, status: 400, says: /cursor.*page/ },
    { it: 'on books', ask: 'GET /books?cursor=', status: 400, says: 'cursor' },
  ])
})

test('records that come and go meanwhile neither repeat nor hide the others', async () => {
  const editor = await service.person('EDITOR')
  const { ask } = service
  const before = (await readPages(get, { sort: 'price', limit: '100' })).records
  const first = await get('?cursor=&sort=price&limit=40')
  const last = first.body.data.at(-1)
  await ask('DELETE', `${at}/${last.id}`, { token: editor.token })
  const early = await ask('POST', at, { body: { name: 'early', price: 0 }, token: editor.token })
  const rest = await get(queryOf({ cursor: first.body.meta.nextCursor, sort: 'price', limit: '100' }))
  assert.deepEqual(ids(rest.body.data), ids(before).slice(40))
  await ask('DELETE', `${at}/${early.body.id}`, { token: editor.token })
})
