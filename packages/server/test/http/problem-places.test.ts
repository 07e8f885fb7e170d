/** Errors name the place of each mistake: a parameter, or a member of the body. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { anyone, decimal, defineResource, id, integer, json, list, manyToMany, text } from '../../src/index.ts'
import { resources, type TestPerson, type TestService } from '../helpers/application.ts'

const parts = defineResource({
  name: 'part',
  path: '/parts',
  fields: {
    id: id(),
    sku: text({ required: true, unique: true }),
    price: integer(),
    readings: list(decimal({ precision: 6, scale: 1 })),
    facts: json(),
    related: manyToMany('part', { fields: { weight: decimal({ precision: 4, scale: 2 }) } }),
  },
  list: { style: 'page', bulk: true },
  access: { list: anyone, get: anyone, create: anyone, replace: anyone, update: anyone, delete: anyone },
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

test('a mistake within a list, within links or within JSON has a pointer of whole steps', async () => {
  const good = { id: '00000000-0000-4000-8000-000000000000' }
  const wrong = { id: '00000000-0000-4000-8000-000000000001', weight: '1.255' }
  const cases = [
    [{ readings: ['1.5', '1.55'] }, '/readings/1', 'readings[1] must have at most 1 decimal'],
    [{ readings: [null] }, '/readings/0', 'readings[0] must have no null among its items'],
    [{ related: [good, wrong] }, '/related/1/weight', 'related[1].weight must have at most 2 decimals'],
    [{ related: { set: [wrong] } }, '/related/set/0/weight', 'related.set[0].weight must have at most 2 decimals'],
    [{ related: { add: [wrong] } }, '/related/add/0/weight', 'related.add[0].weight must have at most 2 decimals'],
    [{ facts: { 'a.b': [2 ** 53] } }, '/facts/a.b/0', 'facts.a.b.0 must be a number that JSON holds exactly'],
    [{ 'readings[0]': 1 }, '/readings%5B0%5D', 'Unknown field readings[0]'],
  ] as const
  const made = await service.ask('POST', '/api/v1/parts', { body: { sku: 'whole' } })
  const one = `/api/v1/parts/${made.body.id}`
  for (const [body, pointer, detail] of cases) {
    assert.deepEqual(await placesOf(`PATCH ${one}`, body), [`#${pointer}`], detail)
    assert.equal((await service.ask('PATCH', one, { body })).body.error, detail)
    const operations = [{ method: 'PATCH', path: one, body }]
    assert.deepEqual(await placesOf('POST /api/v1/batch', { operations }), [`#/operations/0/body${pointer}`])
  }
  const query = 'mutation ($id: ID!, $input: UpdatePartInput!) { updatePart(id: $id, input: $input) { id } }'
  for (const [input, field] of [
    [{ readings: ['1.55'] }, 'readings[0]'],
    [{ related: { add: [wrong] } }, 'related.add[0].weight'],
  ] as const) {
    const { body } = await service.ask('POST', '/graphql', { body: { query, variables: { id: made.body.id, input } } })
    assert.equal(body.errors?.[0].extensions.field, field, JSON.stringify(body))
  }
})
