/**
 * Images of products are there for those who ask. Every other answer has the bytes of a shop whose
 * products have none.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { DeclaredResource } from 'bindery-server'
import { startService as startOf } from 'bindery-server/test'
import { demoPicture } from '../../demo/pictures.ts'
import { resources } from '../../resources/index.ts'
import { type AskOptions, startService, type TestPerson, type TestService } from '../helpers/service.ts'

/** The shop before its products had images. */
const withoutImages = resources.map((one) => {
  if (one.name !== 'product') return one
  const { image: _, ...fields } = one.fields
  return { ...one, fields, display: {} }
}) as readonly DeclaredResource[]

const at = '/api/v1/products'
const started: TestService[] = []
let shop: TestService
let editor: TestPerson
before(async () => {
  shop = await startService()
  started.push(shop)
  editor = await shop.person('EDITOR')
})
after(() => Promise.all(started.map((one) => one.stop())))

const picture = demoPicture(1)
const send = (method: string, path: string, options: AskOptions = {}) =>
  shop.ask(method, path, { token: editor.token, ...options })

async function lamp(values: object = {}): Promise<string> {
  const made = await send('POST', at, { body: { name: 'Lamp', price: 10, ...values } })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

test('an editor gives a product its image, and anyone who names it has it', async () => {
  const id = await lamp()
  const put = await send('PUT', `${at}/${id}/image`, { raw: picture, type: 'image/png' })
  assert.deepEqual([put.status, put.body.image.width, put.body.image.url], [200, 320, `${at}/${id}/image`])
  const usual = (await shop.ask('GET', `${at}/${id}`)).body
  assert.ok(!('image' in usual))
  const asked = await shop.ask('GET', `${at}/${id}?fields=name,image`)
  assert.deepEqual(Object.keys(asked.body), ['id', 'name', 'image'])
  const { data } = (await shop.ask('GET', `${at}?image[null]=false&fields=image`)).body
  assert.deepEqual(data, [{ id, image: put.body.image }])
  const query = `{ product(id: "${id}") { name image { type width } } }`
  const graphql = await shop.ask('POST', '/graphql', { body: { query } })
  assert.deepEqual(graphql.body.data.product, { name: 'Lamp', image: { type: 'image/png', width: 320 } })
  const bytes = await fetch(`${shop.url}${at}/${id}/image`)
  assert.deepEqual(Buffer.from(await bytes.arrayBuffer()), picture)
  const thumb = await fetch(`${shop.url}${at}/${id}/image?variant=thumb`)
  assert.deepEqual([thumb.status, thumb.headers.get('content-type')], [200, 'image/webp'])
  const { token } = await shop.person()
  assert.equal((await send('PUT', `${at}/${id}/image`, { raw: picture, type: 'image/png', token })).status, 403)

  const replaced = await send('PUT', `${at}/${id}`, { body: usual })
  assert.deepEqual(Object.keys(replaced.body), Object.keys(usual))
  assert.equal((await shop.ask('GET', `${at}/${id}/image`)).status, 200, 'a client that knows no image keeps it')
  assert.equal((await send('DELETE', `${at}/${id}/image`)).status, 204)
  assert.equal((await shop.ask('GET', `${at}/${id}/image`)).status, 404)
  assert.equal((await send('DELETE', `${at}/${id}`)).status, 204)
})

type Told = readonly [request: string, status: number, headers: object, text: string]
/** They differ from one request to the next, or name the service. */
const passing = new Set(['date', 'x-request-id', 'traceresponse', 'set-cookie', 'connection', 'keep-alive'])

/** Requests of the interface about products, with all that is answered. */
async function tell(service: TestService, addImage: boolean): Promise<Told[]> {
  const admin = await service.admin()
  const key = await service.key(admin)
  const told: Told[] = []
  const ids = new Map<string, string>()
  const plain = (text: string) =>
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g, (id) => {
        ids.set(id, ids.get(id) ?? `id ${ids.size}`)
        return ids.get(id) as string
      })
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
      .replaceAll(/(cursor=|"nextCursor":")[\w-]+/g, '$1…')
      // ETags of lists have a word of each start, others a digest of what is shown, with its ids.
      .replaceAll(/"[\w-]{27}"/g, '"…"')
      .replaceAll(/"\d+(?:[.-][\w-]{16})+"/g, (etag) => etag.replaceAll(/(?<=[.-])[\w-]{16}/g, '…'))
      .replaceAll(service.url, '')
  const ask = async (method: string, path: string, options: AskOptions = {}) => {
    const reply = await service.ask(method, path, { token: admin.token, ...options })
    const headers = [...reply.headers]
      .filter(([name]) => !passing.has(name))
      .map(([name, value]) => [name, plain(value)])
    told.push([`${method} ${plain(path)}`, reply.status, Object.fromEntries(headers), plain(reply.text)])
    return reply.body
  }
  const { id } = await ask('POST', at, { body: { name: 'Lamp', price: 10, stock: 5, category: 'Light' } })
  await ask('POST', at, { body: { name: 'Desk', price: 2.5 } })
  const put = { raw: picture, type: 'image/png', token: admin.token }
  if (addImage) {
    assert.equal((await service.ask('PUT', `${at}/${id}/image`, put)).status, 200)
  } else await service.ask('PATCH', `${at}/${id}`, { body: { stock: 6 }, token: admin.token })
  await ask('PATCH', `${at}/${id}`, { body: { stock: 5 } })
  const review = await ask('POST', `${at}/${id}/reviews`, { body: { rating: 5 } })
  const lists = [
    '',
    '?page=2&limit=1',
    '?cursor=&limit=1',
    '?sort=-price,name',
    '?fields=name,price',
    '?q=lam&inStock=true',
  ]
  for (const query of [
    ...lists,
    '?minPrice=5',
    '?expand=reviews',
    '?filter={"name":{"eq":"Lamp"}}',
    '?sort=colour',
    '?colour=1',
  ])
    await ask('GET', at + query)
  await ask('GET', `${at}/${id}`)
  await ask('GET', `${at}/${id}?fields=colour`)
  await ask('GET', `${at}/${id}?expand=reviews,can`)
  await ask('GET', `${at}/${id}/reviews?expand=product`)
  await ask('GET', `/api/v1/reviews/${review.id}?fields=product.name,rating`)
  await ask('GET', `${at}/summary?group=category&sum=stock`)
  await ask('GET', `${at}/export?sort=price`, { key, token: '' })
  await ask('POST', `${at}/import`, {
    key,
    token: '',
    raw: '{"name":"Sofa","price":1}\n{"name":1}\n',
    type: 'application/x-ndjson',
  })
  for (const body of [
    {},
    { name: 'x', price: -1 },
    { name: 'x', price: 1, colour: 1 },
    { name: 'x', price: 1, createdAt: 'x' },
  ])
    await ask('POST', at, { body })
  await ask('POST', at, { raw: 'x', type: 'text/plain' })
  await ask('PUT', `${at}/${id}`, { body: { name: 'Lamp', price: 11 }, headers: { 'if-match': '"9"' } })
  await ask('PUT', `${at}/${id}`, { body: { name: 'Lamp', price: 11, stock: 5 } })
  await ask('POST', '/api/v1/batch', { body: { operations: [{ method: 'GET', path: `${at}/${id}` }] } })
  for (const method of ['OPTIONS', 'POST', 'HEAD']) await ask(method, `${at}/${id}`)
  const query = `{ product(id: "${id}") { id name stock version } products(limit: 1, sort: "name") { data { name } meta { total } } }`
  await ask('POST', '/graphql', { body: { query } })
  const cart = `/api/v1/users/${admin.id}/cart`
  await ask('POST', `${cart}/items`, { body: { productId: id, quantity: 2 } })
  await ask('GET', `${cart}/items?expand=product`)
  const order = await ask('POST', `${cart}/checkout`, { body: {} })
  await ask('GET', `/api/v1/orders/${order.id}?expand=items.product`)
  await ask('GET', `/api/v1/orders/${order.id}/items?fields=product.name`)
  await ask('DELETE', `${at}/${id}`)
  return told
}

test('all other answers have the bytes of a shop without images', async () => {
  const bare = await startOf(withoutImages)
  started.push(bare)
  const [found, expected] = [await tell(shop, true), await tell(bare, false)]
  for (const [i, one] of expected.entries()) assert.deepEqual(found[i], one)
  assert.equal(found.length, expected.length)
})
