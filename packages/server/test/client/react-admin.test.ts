/** The providers for react-admin, called through react-admin's own hooks, on a real server. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from 'bindery-server/client'
import { makeAuthProvider, makeDataProvider } from 'bindery-server/react-admin'
import {
  type AuthProvider,
  CoreAdminContext,
  type DataProvider,
  memoryStore,
  TestMemoryRouter,
  useAuthProvider,
  useCreate,
  useDataProvider,
  useGetList,
  useUpdate,
} from 'ra-core'
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
  const dataProvider: DataProvider = makeDataProvider(client)
  const authProvider: AuthProvider = makeAuthProvider(client)
  await authProvider.login({ username: adminEmail, password })
  const inside = (children: ReactNode) =>
    createElement(
      TestMemoryRouter,
      null,
      createElement(CoreAdminContext, { dataProvider, authProvider, store: memoryStore(), children }),
    )
  return { client, dataProvider, authProvider, inside }
}

const statusOf = (error: unknown) => (error as { status?: number } | undefined)?.status

const bodyOf = (error: unknown) => (error as { body?: { errors?: unknown } }).body

test('its hooks list, create and update, and show what was refused', async (t) => {
  t.mock.method(console, 'error', () => undefined) // react-admin prints every refusal
  const { inside } = await connect()
  const hooks = await renderHook(
    () => ({ create: useCreate(), update: useUpdate(), provider: useDataProvider() }),
    inside,
  )
  const create = (data: object) => hooks.current().create[0]('editions', { data }, { returnPromise: true })
  for (const price of [1, 2, 3]) await create({ title: `Book ${price}`, subject: 'Hooks', price })

  const asked = {
    pagination: { page: 1, perPage: 2 },
    sort: { field: 'price', order: 'DESC' },
    filter: { subject: 'Hooks', price: { gte: 2 } },
  } as const
  const list = await renderHook(() => useGetList('editions', asked), inside)
  await list.until(({ isPending }) => !isPending)
  const { data = [], total, pageInfo } = list.current()
  assert.deepEqual([data.map(({ title }) => title), total, pageInfo?.hasNextPage], [['Book 3', 'Book 2'], 2, false])

  const [last] = data
  const { provider, update } = hooks.current()
  const before = await provider.getOne('editions', { id: last.id })
  const save = (change: object) =>
    update[0](
      'editions',
      { id: last.id, data: { ...before.data, ...change }, previousData: before.data },
      { returnPromise: true },
    )
  assert.equal((await save({ price: 5 })).price, 5)
  await assert.rejects(save({ price: 6 }), (error) => statusOf(error) === 412)
  assert.equal((await provider.getOne('editions', { id: last.id })).data.price, 5)
  const refusal = await create({ title: 'x', price: 'much' }).catch((error: unknown) => error)
  assert.equal(statusOf(refusal), 400)
  assert.deepEqual(bodyOf(refusal)?.errors, { price: 'price must be a number' }, 'what its forms show')
  await hooks.end()
  await list.end()
})

test('a record that was only seen in a list is not saved over a newer one', async () => {
  const { client, dataProvider } = await connect()
  const made = await dataProvider.create('editions', { data: { title: 'Listed', subject: 'Listed', price: 1 } })
  const { id } = made.data
  const other = await connect()
  const {
    data: [record],
  } = await other.dataProvider.getList('editions', { filter: { subject: 'Listed' } })
  const change = (data: object) =>
    other.dataProvider.update('editions', { id, data: { ...record, ...data }, previousData: record })
  await client.patch('/api/v1/editions/{id}', { path: { id }, body: { summary: 'Newer' } })
  await assert.rejects(change({ price: 2 }), (error) => statusOf(error) === 412)
  const { data: now } = await other.dataProvider.getOne('editions', { id })
  assert.deepEqual([now.price, now.summary], [1, 'Newer'])
  const again = await other.dataProvider.update('editions', { id, data: { ...now, price: 2 }, previousData: now })
  assert.deepEqual([again.data.price, again.data.summary], [2, 'Newer'])
  await client.patch('/api/v1/editions/{id}', { path: { id }, body: { summary: 'Newest' } })
  const remove = other.dataProvider.delete('editions', { id, previousData: again.data })
  await assert.rejects(remove, (error) => statusOf(error) === 412)
})

test('many at once, by ids and by reference', async () => {
  const { dataProvider } = await connect()
  const ids: string[] = []
  for (let i = 0; i < 3; i += 1)
    ids.push((await dataProvider.create('editions', { data: { title: `Many ${i}`, price: i } })).data.id)
  const missing = '01890000-0000-7000-8000-000000000000'
  const found = await dataProvider.getMany('editions', { ids: [...ids, missing] })
  assert.deepEqual(new Set(found.data.map(({ id }) => id)), new Set(ids))
  assert.deepEqual(await dataProvider.updateMany('editions', { ids, data: { subject: 'Together' } }), { data: ids })
  const failing = dataProvider.updateMany('editions', { ids: [...ids, missing], data: { subject: 'Again' } })
  await assert.rejects(failing, /1 of 4 failed: /)

  await dataProvider.create(`editions/${ids[0]}/opinions`, { data: { stars: 4 } })
  const asked = { pagination: { page: 1, perPage: 5 }, sort: { field: 'createdAt', order: 'ASC' }, filter: {} } as const
  const target = { id: ids[0] as string, ...asked }
  const byField = await dataProvider.getManyReference('opinions', { ...target, target: 'editionId' })
  const byPath = await dataProvider.getManyReference('opinions', { ...target, target: 'editions/{id}/opinions' })
  assert.equal(byField.total, 1)
  assert.deepEqual(byPath.data, byField.data)

  assert.deepEqual(await dataProvider.deleteMany('editions', { ids }), { data: ids })
  assert.equal((await dataProvider.getMany('editions', { ids })).data.length, 0)
})

test('lists of every style have pages', async () => {
  const { client, dataProvider } = await connect()
  const { userId } = (await client.session()) ?? {}
  for (const text of ['a', 'b', 'c']) await client.post('/api/v1/letters', { body: { recipientId: userId, text } })
  const page = async (number: number) => {
    const sort = { field: 'id', order: 'ASC' } as const
    const { data, pageInfo } = await dataProvider.getList('letters', { pagination: { page: number, perPage: 2 }, sort })
    return [data.map(({ id, text }) => [typeof id, text]), pageInfo]
  }
  const first = [
    [
      ['string', 'c'],
      ['string', 'b'],
    ],
    { hasNextPage: true, hasPreviousPage: false },
  ]
  const second = [[['string', 'a']], { hasNextPage: false, hasPreviousPage: true }]
  assert.deepEqual([await page(1), await page(2), await page(1)], [first, second, first])
  assert.deepEqual((await page(9))[0], [])

  for (let i = 0; i < 120; i += 1) await client.post('/api/v1/shelves', { body: { label: `L${i}`, room: 'r' } })
  const many = await dataProvider.getList('shelves', { pagination: { page: 1, perPage: 110 } })
  assert.deepEqual([many.data.length, many.pageInfo?.hasNextPage], [110, true])
  for (const title of ['Ash', 'Comma, oak', 'Oak'])
    await dataProvider.create('editions', { data: { title, subject: 'Trees', price: 1 } })
  const titles = async (filter: object) => {
    const { data } = await dataProvider.getList('editions', { filter: { subject: 'Trees', ...filter } })
    return data.map(({ title }) => title).toSorted()
  }
  const title = ['Comma, oak', 'Ash']
  assert.deepEqual(await titles({ title }), ['Ash', 'Comma, oak'])
  assert.deepEqual(await titles({ title, filter: { title: { contains: 'oak' } } }), ['Comma, oak'])
  // An input that was cleared asks for nothing.
  const everything = ['Ash', 'Comma, oak', 'Oak']
  for (const filter of [{ title: [] }, { price: [] }, { price: { gte: undefined, in: [] } }, { price: { lte: '' } }])
    assert.deepEqual(await titles(filter), everything)
  const wrong = dataProvider.getList('editions', { filter: { colour: 'red' } })
  await assert.rejects(wrong, (error) => statusOf(error) === 400 && /colour/.test(String(error)))
})

test('logging in and out', async () => {
  const { client, dataProvider, authProvider, inside } = await connect()
  const hook = await renderHook(() => useAuthProvider(), inside)
  assert.equal((await hook.current()?.getIdentity?.())?.fullName, adminEmail)
  assert.equal(await authProvider.getPermissions?.({}), 'ADMIN')
  await authProvider.checkAuth({})
  await assert.rejects(authProvider.login({ username: adminEmail, password: 'wrong' }))
  await authProvider.logout({})
  await assert.rejects(authProvider.checkAuth({}))
  assert.equal(await client.session(), undefined)
  const refusal = await dataProvider.getList('members', {}).then(undefined, (error) => error)
  await assert.rejects(authProvider.checkError(refusal))
  await authProvider.checkError({ status: 403 })
  await hook.end()
})
