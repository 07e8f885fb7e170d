/**
 * A summary as CSV: the figures of its JSON, in the cells that an exported list has for the same
 * values.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import {
  anyone,
  bigint,
  boolean,
  choice,
  date,
  decimal,
  defineResource,
  float,
  id,
  integer,
  money,
  reference,
  text,
  timestamp,
} from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'

const shops = defineResource({
  name: 'shop',
  path: '/shops',
  fields: { id: id(), name: text({ required: true }) },
  list: { style: 'page', filterable: ['name'] },
  access: { read: anyone, write: anyone },
})
const sales = defineResource({
  name: 'sale',
  path: '/sales',
  fields: {
    id: id(),
    shopId: reference('shop', { onDelete: 'clear' }),
    kind: text({ maxLength: 50 }),
    state: choice(['OPEN', 'PAID'], { default: 'OPEN' }),
    isGift: boolean({ default: false }),
    price: money(),
    weight: decimal({ precision: 12, scale: 3 }),
    share: float(),
    items: integer(),
    points: bigint(),
    day: date(),
    soldAt: timestamp(),
  },
  list: { style: 'page', filterable: ['kind', 'state', 'isGift', 'day', 'soldAt', 'shopId'], sortable: ['kind'] },
  access: { read: anyone, create: anyone },
})
const service = await startService([shops, sales])
after(() => service.stop())

const shop = await service.make('shop', { name: 'Tea, "and" cake' })
const sale = (values: object) =>
  service.make('sale', { kind: 'plain', price: 0.1, weight: '12.500', items: 1, points: '9007199254740993', ...values })
await sale({ day: '2026-02-28', soldAt: '2026-02-28T23:30:00Z', shopId: shop.id })
await sale({ price: 0.2, weight: '0.005', day: '2024-12-30', soldAt: '2026-03-01T00:30:00Z' })
await sale({ kind: 'a, "b"\nc', state: 'PAID', isGift: true, price: -1, weight: null, share: 0.25 })
await sale({ kind: '=1+1', price: null, weight: null, items: null, points: null })
await sale({ kind: null, price: null, weight: null, items: null, points: null })

const path = '/api/v1/sales/summary'
const asked = (query: string, accept = 'text/csv', more: Record<string, string> = {}) =>
  service.ask('GET', `${path}?${query}`, { headers: { accept, ...more } })

it('has a line for each group, with exact figures', async () => {
  const query = 'group=kind&sum=price,weight,items,points&average=weight&least=day&most=soldAt&sort=kind'
  const { status, text, headers } = await asked(query)
  assert.equal(status, 200, text)
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
  assert.match(headers.get('vary') ?? '', /\bAccept\b/)
  const lines = [
    'kind,count,sum.price,sum.weight,sum.items,sum.points,average.weight,least.day,most.soldAt',
    '=1+1,1,0,0.000,0,0,,,',
    '"a, ""b""\nc",1,-1,0.000,1,9007199254740993,,,',
    'plain,2,0.3,12.505,2,18014398509481986,6.253,2024-12-30,2026-03-01T00:30:00.000Z',
    ',1,0,0.000,0,0,,,',
  ]
  assert.deepEqual(text.split('\n').toSorted(), `${lines.join('\n')}\n`.split('\n').toSorted())
})

it('groups by states, booleans, parts of times and fields of other records', async () => {
  const cells = async (query: string) => (await asked(query)).text
  assert.equal(await cells('group=isGift,state&sort=isGift'), 'isGift,state,count\nfalse,OPEN,4\ntrue,PAID,1\n')
  const zoned = await cells('group=soldAt.day&sort=-soldAt.day&limit=1&_tz=Europe/Berlin')
  assert.equal(zoned, 'soldAt.day,count\n2026-03-01,2\n')
  const far = await cells('group=shop.name&sort=count')
  assert.equal(far, 'shop.name,count\n"Tea, ""and"" cake",1\n,4\n')
  assert.equal(await cells(''), 'count\n5\n')
})

it('is CSV where the client prefers it, and JSON where it does not care', async () => {
  for (const accept of ['text/csv', 'text/*', 'application/json;q=0.5, text/csv', 'text/csv, */*;q=0.1'])
    assert.match((await asked('group=state', accept)).headers.get('content-type') ?? '', /^text\/csv/, accept)
  for (const accept of ['*/*', 'text/html, */*;q=0.8', 'text/csv, application/json', 'application/json, */*;q=0.1'])
    assert.match((await asked('group=state', accept)).headers.get('content-type') ?? '', /^application\/json/, accept)
  const refused = await asked('group=state', 'text/html')
  assert.deepEqual([refused.status, refused.body.error], [406, 'The answer is application/json or text/csv'])
  const list = await service.ask('GET', '/api/v1/sales', { headers: { accept: 'text/csv' } })
  assert.equal(list.status, 406)
})

it('is cached beside its JSON, and refuses in JSON', async () => {
  for (let round = 0; round < 3; round += 1) {
    const [csv, json] = [await asked('group=state'), await asked('group=state', 'application/json')]
    assert.match(csv.text, /^state,count\n/)
    assert.deepEqual(json.body.meta, { groups: 2 })
    assert.notEqual(csv.headers.get('etag'), json.headers.get('etag'))
    const again = await asked('group=state', 'text/csv', { 'if-none-match': csv.headers.get('etag') as string })
    assert.equal(again.status, 304)
  }
  const wrong = await asked('group=nothing')
  assert.deepEqual([wrong.status, typeof wrong.body.error], [400, 'string'])
  const query = await service.ask('QUERY', path, { body: { group: 'state' }, headers: { accept: 'text/csv' } })
  assert.match(query.text, /^state,count\n/)
})
