/** The providers for Refine, called through Refine's own hooks, on a real server. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AuthProvider, type DataProvider, Refine, useCreate, useList, useOne, useUpdate } from '@refinedev/core'
import { createClient } from 'bindery-server/client'
import { makeAuthProvider, makeDataProvider } from 'bindery-server/refine'
import { createElement, type ReactNode } from 'react'
import { adminEmail, password, type TestService } from '../../src/testing/index.ts'
import { startService } from '../helpers/application.ts'
import { renderHook } from './render-hook.ts'

let service: TestService
before(async () => {
  service = await startService()
})
after(() => service?.stop())

async function connect() {
  const client = createClient({ url: service.url })
  await client.logIn({ email: adminEmail, password })
  const dataProvider = makeDataProvider(client) satisfies DataProvider
  const authProvider = makeAuthProvider(client) satisfies AuthProvider
  const options = {
    disableTelemetry: true,
    reactQuery: { clientConfig: { defaultOptions: { queries: { retry: false } } } },
  }
  const inside = (children: ReactNode) => createElement(Refine, { dataProvider, authProvider, options, children })
  return { client, dataProvider, authProvider, inside }
}

const statusOf = (error: unknown) => (error as { statusCode?: number } | undefined)?.statusCode

test('its hooks list, create and update, and a form saves over nothing newer', async () => {
  const { client, inside } = await connect()
  const hooks = await renderHook(() => ({ create: useCreate(), update: useUpdate() }), inside)
  const create = (values: object) => hooks.current().create.mutateAsync({ resource: 'editions', values })
  for (const price of [1, 2, 3]) await create({ title: `Book ${price}`, subject: 'Hooks', price })

  const list = await renderHook(
    () =>
      useList({
        resource: 'editions',
        pagination: { currentPage: 1, pageSize: 2 },
        sorters: [{ field: 'price', order: 'desc' }],
        filters: [
          { field: 'subject', operator: 'eq', value: 'Hooks' },
          { field: 'price', operator: 'gte', value: 2 },
        ],
      }),
    inside,
  )
  await list.until(({ query }) => !query.isPending)
  const { result } = list.current()
  assert.deepEqual([result.data.map(({ title }) => title), result.total], [['Book 3', 'Book 2'], 2])

  const id = result.data[0]?.id as string
  const one = await renderHook(() => useOne({ resource: 'editions', id }), inside)
  await one.until(({ query }) => !query.isPending)
  const values = one.current().result
  await client.patch('/api/v1/editions/{id}', { path: { id }, body: { summary: 'Newer' } })
  const save = (change: object) =>
    hooks.current().update.mutateAsync({ resource: 'editions', id, values: { ...values, ...change } })
  await assert.rejects(save({ price: 9 }), (error) => statusOf(error) === 412)
  assert.equal((await client.get('/api/v1/editions/{id}', { path: { id } })).summary, 'Newer')
  await assert.rejects(create({ title: 'x', price: 'much' }), (error) => statusOf(error) === 400)
  for (const hook of [hooks, list, one]) await hook.end()
})

test('its operators find what they say', async () => {
  const { client, dataProvider } = await connect()
  const rows = [
    { title: 'Ash', copies: 1 },
    { title: 'Birch', copies: 2 },
    { title: 'Cedar', copies: 3 },
    { title: 'Comma, oak' },
  ]
  for (const row of rows) await client.post('/api/v1/editions', { body: { subject: 'Trees', price: 1, ...row } })
  const subject = { field: 'subject', operator: 'eq', value: 'Trees' } as const
  const titles = async (...filters: NonNullable<Parameters<typeof dataProvider.getList>[0]['filters']>) => {
    const sorters = [{ field: 'title', order: 'asc' }] as const
    const { data } = await dataProvider.getList({ resource: 'editions', sorters, filters: [subject, ...filters] })
    return data.map(({ title }) => title)
  }
  const [ash, birch, cedar, oak] = rows.map(({ title }) => title)
  const cases: readonly (readonly [string, string, unknown, readonly (string | undefined)[]])[] = [
    ['copies', 'eq', 2, [birch]],
    ['copies', 'gt', 1, [birch, cedar]],
    ['copies', 'between', [2, 3], [birch, cedar]],
    ['title', 'in', ['Ash', 'Cedar'], [ash, cedar]],
    ['title', 'contains', 'EDA', [cedar]],
    ['title', 'startswith', 'b', [birch]],
    ['copies', 'null', true, [oak]],
    ['copies', 'nnull', true, [ash, birch, cedar]],
    ['copies', 'eq', null, [oak]],
    ['copies', 'ne', null, [ash, birch, cedar]],
    ['title', 'eq', '', [ash, birch, cedar, oak]],
    ['q', 'eq', 'ced', [cedar]],
    ['title', 'nin', ['Ash', 'Comma, oak'], [birch, cedar]],
    ['title', 'ncontains', 'a', [birch]],
    ['title', 'nstartswith', 'c', [ash, birch]],
  ]
  for (const [field, operator, value, expected] of cases)
    assert.deepEqual(await titles({ field, operator, value }), expected, `${field} ${operator} ${value}`)
  const shelf = await client.post('/api/v1/shelves', { body: { label: 'Trees', room: 'Garden' } })
  const placed = { title: 'Elm', subject: 'Placed', price: 1, shelfId: shelf.id }
  await client.post('/api/v1/editions', { body: placed })
  const found = await dataProvider.getList({
    resource: 'editions',
    filters: [{ field: 'subject', operator: 'eq', value: 'Placed' }],
    meta: { query: { expand: 'shelf' } },
  })
  assert.equal(found.data[0]?.shelf?.label, 'Trees')
  const first = { field: 'title', operator: 'eq', value: 'Ash' } as const
  const many = { field: 'copies', operator: 'gte', value: 3 } as const
  assert.deepEqual(await titles({ operator: 'or', value: [first, many] }), [ash, cedar])
  assert.deepEqual(await titles({ operator: 'or', value: [first, { operator: 'and', value: [many, first] }] }), [ash])
  // The condition of an input that was cleared is none, also within others.
  const cleared = { field: 'title', operator: 'eq', value: undefined } as const
  const none = { field: 'copies', operator: 'in', value: [] } as const
  assert.deepEqual(await titles({ operator: 'or', value: [first, cleared] }), [ash])
  assert.deepEqual(await titles({ operator: 'or', value: [first, { operator: 'and', value: [cleared, none] }] }), [ash])
  assert.deepEqual(await titles({ operator: 'or', value: [cleared, none] }), await titles(cleared))
  assert.ok((await titles(cleared)).length > 2)
  assert.deepEqual(await titles({ field: 'copies', operator: 'between', value: [3, undefined] }), [cedar])
  const ends = dataProvider.getList({
    resource: 'editions',
    filters: [{ field: 'title', operator: 'endswith', value: 'r' }],
  })
  await assert.rejects(ends, /there is no filter endswith/)
})

test('many at once, all of a list, and requests of its own', async () => {
  const { dataProvider } = await connect()
  const resource = 'shelves'
  const variables = Array.from({ length: 12 }, (_, i) => ({ label: `S${i}`, room: 'Hall' }))
  const { data: made } = await dataProvider.createMany({ resource, variables })
  const ids: number[] = made.map(({ id }) => id)
  assert.equal(new Set(ids).size, 12)
  const filters = [{ field: 'room', operator: 'contains', value: 'hall' }]
  const all = await dataProvider.getList({ resource, filters, pagination: { mode: 'off' } })
  assert.deepEqual([all.data.length, all.total], [12, 12])
  const page = await dataProvider.getList({ resource, filters, pagination: { currentPage: 2, pageSize: 5 } })
  assert.deepEqual([page.data.length, page.total > 10], [5, true])
  // More than the server gives at once, and a prime number: still a request or two.
  let requests = 0
  const count = <T>(request: T) => {
    requests += 1
    return request
  }
  const counted = createClient({ url: service.url, fetch: (request) => fetch(count(request)) })
  await counted.logIn({ email: adminEmail, password })
  requests = 0
  const counting = makeDataProvider(counted)
  const large = await counting.getList({ resource, filters, pagination: { currentPage: 1, pageSize: 101 } })
  assert.deepEqual([large.data.length, requests], [12, 1])
  const second = await counting.getList({ resource, filters, pagination: { currentPage: 2, pageSize: 101 } })
  assert.deepEqual([second.data.length, second.total], [0, 12])
  await dataProvider.updateMany({ resource, ids, variables: { room: 'Cellar' } })
  const { data: found } = await dataProvider.getMany({ resource: 'shelves', ids })
  assert.ok(found.length === 12 && found.every(({ room }) => room === 'Cellar'))
  const { data } = await dataProvider.custom({ url: `${dataProvider.getApiUrl()}/shelves/${ids[0]}`, method: 'get' })
  assert.equal(data.room, 'Cellar')
  await assert.rejects(dataProvider.custom({ url: 'http://127.0.0.1:9/api', method: 'get' }), TypeError)
  assert.deepEqual((await dataProvider.deleteOne({ resource, id: ids[0] as number })).data, { id: ids[0] })
  await dataProvider.deleteMany({ resource, ids: ids.slice(1) })
  const gone = dataProvider.getOne({ resource, id: ids[1] as number })
  await assert.rejects(gone, (error) => statusOf(error) === 404)
})

test('logging in and out', async () => {
  const { dataProvider, authProvider } = await connect()
  assert.equal((await authProvider.getIdentity())?.name, adminEmail)
  assert.equal(await authProvider.getPermissions(), 'ADMIN')
  assert.deepEqual(await authProvider.check(), { authenticated: true })
  assert.equal((await authProvider.login({ email: adminEmail, password: 'wrong' })).success, false)
  await authProvider.logout()
  assert.deepEqual(await authProvider.check(), { authenticated: false, redirectTo: '/login' })
  const refusal = await dataProvider.getList({ resource: 'members' }).then(undefined, (error) => error)
  assert.equal((await authProvider.onError(refusal)).logout, true)
  assert.equal((await authProvider.login({ email: adminEmail, password })).success, true)
})
