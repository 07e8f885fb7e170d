/**
 * Two responses with one ETag have the same bytes, for any caller at any time. Guarded fields,
 * expanded records and values computed with the time give a record different ETags. A conditional
 * write compares the version alone.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AskOptions, startService, type TestResponse, type TestService } from 'bindery-server/test'
import {
  anyone,
  boolean,
  defineResource,
  derived,
  embedded,
  id,
  integer,
  lookup,
  reference,
  role,
  text,
  timestamp,
  user,
} from '../../src/index.ts'
import { resources } from '../application/resources/index.ts'

const open = { list: anyone, get: anyone, create: user, update: user, replace: user, delete: user } as const
const list = { style: 'page', filterable: ['name'], sortable: ['name'] } as const
const trunks = defineResource({
  name: 'trunk',
  path: '/trunks',
  fields: { id: id(), name: text({ required: true }), cost: integer({ read: role('ADMIN'), default: 3 }) },
  list,
  access: { ...open, export: anyone },
  children: { hires: { resource: 'hire', by: 'trunkId', operations: ['list'] } },
})
const hires = defineResource({
  name: 'hire',
  path: '/hires',
  fields: {
    id: id(),
    name: text({ required: true }),
    trunkId: reference('trunk', { onDelete: 'keep', required: true }),
    dueAt: timestamp({ required: true }),
    trunkName: lookup(text(), { via: 'trunkId', field: 'name' }),
    overdue: derived(boolean(), ({ dueAt }, { now }) => dueAt < now, { clock: true }),
    weight: derived(integer(), ({ name }) => name.length),
  },
  list,
  access: { ...open, export: anyone },
})
const shops = defineResource({
  name: 'deposit',
  path: '/deposits',
  fields: {
    id: id(),
    name: text({ required: true }),
    lots: embedded('lot', 'depositId'),
  },
  list,
  access: open,
})
const lots = defineResource({
  name: 'lot',
  path: '/lots',
  fields: {
    id: id(),
    depositId: reference('deposit', { onDelete: 'delete', required: true }),
    price: integer({ read: role('ADMIN'), default: 9 }),
    untilAt: timestamp({ required: true }),
    ended: derived(boolean(), ({ untilAt }, { now }) => untilAt < now, { clock: true }),
  },
  list: { style: 'page' },
  access: open,
})

const startMs = Date.parse('2026-06-01T00:00:00.000Z')
let service: TestService
let admin: AskOptions
let person: AskOptions
const paths: Record<string, string> = {}
before(async () => {
  service = await startService([...resources, trunks, hires, shops, lots], { clock: () => startMs })
  admin = { token: (await service.admin()).token }
  person = { token: (await service.person()).token }
})
after(() => service.stop())

/** New records, as each test changes them. */
async function fill() {
  const { make } = service
  const trunk = await make('trunk', { name: 'a' })
  const dueAt = new Date(service.now() + 60_000).toISOString()
  const hire = await make('hire', { name: 'b', trunkId: trunk.id, dueAt })
  const deposit = await make('deposit', { name: 'c' })
  await make('lot', { depositId: deposit.id, untilAt: dueAt })
  paths.trunk = `/api/v1/trunks/${trunk.id}`
  paths.hire = `/api/v1/hires/${hire.id}`
  paths.deposit = `/api/v1/deposits/${deposit.id}`
}
const get = (path: string, by: AskOptions = {}, etag?: string): Promise<TestResponse> =>
  service.ask('GET', path, { ...by, ...(etag !== undefined && { headers: { 'if-none-match': etag } }) })
const etagOf = ({ headers }: TestResponse): string => headers.get('etag') as string
const byCaller = /(^|, )Authorization, X-API-Key/

test('views of a record have ETags of their own, and a copy of one is not taken for another', async () => {
  await fill()
  const { trunk = '', deposit = '', hire = '' } = paths
  for (const path of [trunk, `${hire}?expand=trunk`, deposit, '/api/v1/trunks', `${trunk}/hires?expand=trunk`]) {
    const [whole, part, other] = [await get(path, admin), await get(path), await get(path, person)]
    assert.notEqual(etagOf(whole), etagOf(part), path)
    assert.equal(etagOf(other), etagOf(part), path)
    assert.equal(other.text, part.text)
    for (const { headers } of [whole, part, other]) assert.match(headers.get('vary') ?? '', byCaller, path)
    const stale = await get(path, {}, etagOf(whole))
    assert.deepEqual([stale.status, stale.text], [200, part.text], path)
    assert.doesNotMatch(stale.text, /"(cost|price)"/)
  }
  const { headers, text } = await get(`${trunk}?fields=name`, admin)
  assert.equal(text, (await get(`${trunk}?fields=name`)).text)
  assert.equal(headers.get('etag'), etagOf(await get(`${trunk}?fields=name`)))
})

test('a view that is known is 304, and says what it varies by', async () => {
  await fill()
  for (const path of [paths.trunk as string, '/api/v1/trunks'])
    for (const by of [admin, person, {}])
      for (let i = 0; i < 3; i += 1) {
        const known = await get(path, by, etagOf(await get(path, by)))
        assert.equal(known.status, 304, path)
        assert.match(known.headers.get('vary') ?? '', byCaller)
      }
  assert.match(etagOf(await get(paths.trunk as string)), /^"1\.[\w-]{16}"$/)
  assert.equal((await get(paths.trunk as string, {}, '"1"')).status, 200)
})

test('a write names the version, plain or in any view, and nothing is written over a newer one', async () => {
  await fill()
  const { trunk = '' } = paths
  const write = (ifMatch: string, method = 'PATCH') =>
    service.ask(method, trunk, { ...person, body: { name: 'd' }, headers: { 'if-match': ifMatch } })
  const seen = [etagOf(await get(trunk, admin)), etagOf(await get(trunk))]
  assert.equal((await write('"1"')).status, 200)
  for (const etag of ['"1"', ...seen]) assert.equal((await write(etag)).status, 412, etag)
  const now = await write(etagOf(await get(trunk, person)))
  assert.deepEqual([now.status, etagOf(now)], [200, etagOf(await get(trunk, person))])
  assert.equal((await write(etagOf(await get(trunk, admin)))).status, 200)
  assert.equal((await write(`W/${etagOf(await get(trunk, admin))}`)).status, 200)
  assert.equal((await write(`"1", ${etagOf(await get(`${trunk}?expand=hires`))}`, 'PUT')).status, 200)
  const operations = [
    { method: 'PATCH', path: trunk.replace('/api/v1', ''), body: { name: 'e' }, headers: { 'If-Match': '"6"' } },
  ]
  const batch = await service.ask('POST', '/api/v1/batch', { ...person, body: { operations } })
  assert.match(batch.body.data[0].headers.ETag, /^"7\./)
  const unless = { headers: { 'if-none-match': etagOf(await get(trunk)) } }
  assert.equal((await service.ask('PATCH', trunk, { ...person, body: { name: 'f' }, ...unless })).status, 412)
})

test('what each caller sees of itself at one address has an ETag of its own', async () => {
  const [first, second] = [await get('/api/v1/me', admin), await get('/api/v1/me', person)]
  assert.notEqual(etagOf(first), etagOf(second))
  assert.equal((await get('/api/v1/me', person, etagOf(first))).status, 200)
  assert.equal((await get('/api/v1/me', person, etagOf(second))).status, 304)
  assert.match(second.headers.get('vary') ?? '', byCaller)
  const etag = etagOf(second)
  const path = `/api/v1/members/${second.body.id}`
  const write = () => service.ask('PATCH', path, { ...person, body: { name: 'Self' }, headers: { 'if-match': etag } })
  assert.deepEqual([(await write()).status, (await write()).status], [200, 412])
})

test('where no caller sees other fields, the ETag is the version and nothing varies', async () => {
  const shelf = await service.ask('POST', '/shelves', { body: { label: 'Plain', room: 'v' } })
  assert.equal(etagOf(shelf), '"1"')
  const read = await get(`/shelves/${shelf.body.id}`)
  assert.deepEqual([etagOf(read), read.headers.get('vary')], ['"1"', null])
  const document = await service.ask('GET', '/graphql?query={trunks{meta{total}}}')
  assert.equal(document.headers.get('vary'), 'Accept, Authorization, X-API-Key')
})

/** The answers of each door about the hire and the lot, before and after they are late. */
const doors: readonly (readonly [door: string, ask: () => Promise<TestResponse>])[] = [
  ['get', () => get(paths.hire as string)],
  ['list', () => get('/api/v1/hires?sort=-name')],
  ['by cursor', () => get('/api/v1/hires?cursor=')],
  ['children', () => get(`${paths.trunk}/hires`)],
  ['expand', () => get(`${paths.trunk}?expand=hires`)],
  ['expand of a list', () => get('/api/v1/trunks?expand=hires')],
  ['embedded', () => get(paths.deposit as string)],
  ['embedded in a list', () => get('/api/v1/deposits')],
  ['export', () => get('/api/v1/hires/export')],
  ['GraphQL', () => service.ask('POST', '/graphql', { body: { query: '{ hires { data { id overdue } } }' } })],
  ['GraphQL below', () => service.ask('POST', '/graphql', { body: { query: '{ trunks { data { hires { overdue } } } }' } })],
  ['GraphQL embedded', () => service.ask('POST', '/graphql', { body: { query: '{ deposits { data { lots { ended } } } }' } })],
] // biome-ignore format: a table

test('what is computed with the time is another value later, at every door', async () => {
  await fill()
  const before: TestResponse[] = []
  for (const [door, ask] of doors) {
    for (let i = 0; i < 3; i += 1) before.push(await ask())
    assert.match(before.at(-1)?.text ?? '', /"(overdue|ended)":false/, door)
  }
  service.turn(60_001)
  for (const [i, [door, ask]] of doors.entries()) {
    const [earlier, later] = [before[i * 3] as TestResponse, await ask()]
    assert.match(later.text, /"(overdue|ended)":true/, door)
    if (earlier.headers.has('etag')) assert.notEqual(etagOf(later), etagOf(earlier), door)
  }
  const stale = await get('/api/v1/hires?sort=-name', {}, etagOf(before[3] as TestResponse))
  assert.equal(stale.status, 200)
})

test('time that passes refuses no write, and what is shown of others still does', async () => {
  await fill()
  const { hire = '', trunk = '', deposit = '' } = paths
  const [first, whole] = [etagOf(await get(hire)), etagOf(await get(deposit, admin))]
  service.turn(60_001)
  const write = (path: string, etag: string, by = person) =>
    service.ask('PATCH', path, { ...by, body: { name: 'g' }, headers: { 'if-match': etag } })
  assert.equal((await write(hire, first)).status, 200)
  assert.equal((await write(deposit, whole, admin)).status, 200)
  const second = etagOf(await get(hire))
  assert.match(second, /^"2-[\w-]{16}\.[\w-]{16}"$/)
  await write(trunk, '"1"')
  assert.equal((await write(hire, second)).status, 412)
  assert.equal((await write(hire, '"2"')).status, 200)
})
