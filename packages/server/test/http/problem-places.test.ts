/** Errors name the place of each mistake: a parameter, or a member of the body. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { anyone, defineResource, id, integer, text } from '../../src/index.ts'
import { resources, type TestPerson, type TestService } from '../helpers/application.ts'

const parts = defineResource({
  name: 'part',
  path: '/parts',
  fields: { id: id(), sku: text({ required: true, unique: true }), price: integer() },
  list: { style: 'page', bulk: true },
  access: { list: anyone, create: anyone, replace: anyone, update: anyone, delete: anyone },
  upsert: ['sku'],
})

let service: TestService
let editor: TestPerson
before(async () => {
  service = await startOf([...resources, parts])
  editor = await service.person('EDITOR')
})
after(() => service.stop())

type Place = { readonly pointer?: string; readonly parameter?: string; readonly detail: string }

async function placesOf(line: string, body?: unknown): Promise<string[]> {
  const [method = '', path = ''] = line.split(' ')
  const headers = { accept: 'application/problem+json' }
  const reply = await service.ask(method, path, { body, headers, token: editor.token })
  assert.equal(reply.status, 400, `${line} ${reply.text}`)
  assert.equal(reply.headers.get('content-type'), 'application/problem+json')
  const errors: readonly Place[] = reply.body.errors ?? []
  assert.ok(errors.length > 0, `${line} ${reply.text}`)
  return errors.map(({ pointer, parameter }) => pointer ?? `?${parameter}`)
}

test('a parameter that is wrong is named, whatever is wrong with it', async () => {
  const editions = '/api/v1/editions'
  const filter = encodeURIComponent('{"colour":{"eq":"red"}}')
  const cases = [
    [`${editions}?colour=red`, 'colour'],
    [`${editions}?page=1&page=2`, 'page'],
    [`${editions}?title=%00`, 'title'],
    [`${editions}?price=much`, 'price'],
    [`${editions}?price[gt]=much`, 'price[gt]'],
    [`${editions}?sort=colour`, 'sort'],
    [`${editions}?sort=title,title`, 'sort'],
    [`${editions}?fields=colour`, 'fields'],
    [`${editions}?fields=colour.name`, 'fields'],
    [`${editions}?expand=colour`, 'expand'],
    [`${editions}?expand=(`, 'expand'],
    [`${editions}?filter=${filter}`, 'filter'],
    [`${editions}?filter=(`, 'filter'],
    [`${editions}?q=${'x'.repeat(257)}`, 'q'],
    [`${editions}?cursor=x`, 'cursor'],
    [`${editions}?cursor=&page=1`, 'cursor'],
    [`${editions}/summary?group=colour`, 'group'],
    [`${editions}/summary?sum=title`, 'sum'],
    [`${editions}/summary?most=title`, 'most'],
    [`${editions}/summary?sort=title`, 'sort'],
    [`${editions}/summary?limit=0`, 'limit'],
    [`${editions}/summary?count=1`, 'count'],
    ['/shelves/1?colour=red', 'colour'],
    ['/shelves/1?fields=colour', 'fields'],
  ] as const
  for (const [path, name] of cases) assert.deepEqual(await placesOf(`GET ${path}`), [`?${name}`], path)
})

test('so it is where the request has a body as well, and where the parameters are the body', async () => {
  assert.deepEqual(await placesOf('POST /shelves?colour=red', { label: 'a', room: 'b' }), ['?colour'])
  assert.deepEqual(await placesOf('PATCH /api/v1/parts?price=much&limit=5', { price: 1 }), ['?price'])
  assert.deepEqual(await placesOf('PATCH /api/v1/parts?price[gt]=much&limit=5', { price: 1 }), ['?price[gt]'])
  assert.deepEqual(await placesOf('PATCH /api/v1/parts?price=5&limit=5', { price: 'much' }), ['#/price'])
  assert.deepEqual(await placesOf('PATCH /api/v1/parts?price=5', { price: 6 }), ['?limit'])
  assert.deepEqual(await placesOf('DELETE /api/v1/parts?page=5&limit=5'), ['?page'])
  assert.deepEqual(await placesOf('PUT /api/v1/parts?on=price', { sku: 'a' }), ['?on'])
  assert.deepEqual(await placesOf('PUT /api/v1/parts?on=sku&colour=red', { sku: 'a' }), ['?colour'])
  assert.deepEqual(await placesOf('PUT /api/v1/parts?on=sku', { price: 'much' }), ['#/sku', '#/price'])
  assert.deepEqual(await placesOf('QUERY /api/v1/editions', { price: 'much' }), ['?price'])
  assert.deepEqual(await placesOf('QUERY /api/v1/editions', { price: { gt: 'much' } }), ['?price[gt]'])
  assert.deepEqual(await placesOf('QUERY /api/v1/editions', { sort: 'colour' }), ['?sort'])
  assert.deepEqual(await placesOf('QUERY /api/v1/editions', { title: null }), ['?title'])
})

test('a mistake within a batch has its place in the whole body', async () => {
  const batch = (operations: unknown) => placesOf('POST /api/v1/batch', { operations })
  const good = { method: 'POST', path: '/shelves', body: { label: 'a', room: 'b' } }
  assert.deepEqual(await batch([good, { id: 'b', ...good, body: { label: 'a', 'a/b': 1, since: 'x' } }]), [
    '#/operations/1/body/room',
    '#/operations/1/body/a~1b',
    '#/operations/1/body/since',
  ])
  assert.deepEqual(await batch([{ method: 'GET', path: '/shelves/1?colour=red' }]), ['#/operations/0/path'])
  assert.deepEqual(await batch([good, { ...good, id: '' }]), ['#/operations/1/id'])
  assert.deepEqual(await batch([{ ...good, headers: { Accept: 'a' } }]), ['#/operations/0/headers'])
  assert.deepEqual(await batch([good, 1]), ['#/operations/1'])
  assert.deepEqual(await batch([]), ['#/operations'])
  assert.deepEqual(await placesOf('POST /api/v1/batch', { operations: [good], colour: 1 }), ['#/colour'])
})

test('scopes that there are not', async () => {
  const body = { name: 'a', scopes: ['editions:fly'] }
  assert.deepEqual(await placesOf('POST /api/v1/access-keys', body), ['#/scopes'])
})

test('a password that others guess', async () => {
  const email = 'reader@example.com'
  assert.deepEqual(await placesOf('POST /api/v1/members', { email, password: 'password1' }), ['#/password'])
  assert.deepEqual(await placesOf('POST /api/v1/members', { email, password: email }), ['#/password'])
})
