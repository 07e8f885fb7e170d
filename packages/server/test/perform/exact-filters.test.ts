/**
 * Filters compare exactly, to the last digit and blank: times finer than the stored precision, and
 * texts in lists of values.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from 'bindery-server/test'
import {
  anyone,
  atLeast,
  atMost,
  choice,
  defineResource,
  id,
  integer,
  text,
  textList,
  timestamp,
} from '../../src/index.ts'

const moments = defineResource({
  name: 'moment',
  path: '/moments',
  fields: {
    id: id(),
    tag: text({ required: true }),
    at: timestamp(),
    note: text(),
    notes: textList(),
    kind: choice(['one', 'two']),
    size: integer(),
  },
  list: {
    style: 'page',
    sortable: ['at', 'tag'],
    defaultSort: 'tag',
    filters: { since: atLeast('at'), until: atMost('at') },
    bulk: true,
  },
  access: { list: anyone, get: anyone, create: anyone, update: anyone },
})

let service: TestService
before(async () => {
  service = await startService([moments])
  const stored = [
    ['a', '1969-12-31T23:59:59.999Z', 'lead', 'one', 1],
    ['b', '2026-01-01T00:00:00.000Z', ' lead', 'two', 2],
    ['c', '2026-01-01T00:00:00.001Z', 'lead ', 'one', 3],
    ['d', '9999-12-31T23:59:59.999Z', ' ', 'two', 4],
    ['e', null, null, null, null],
  ] as const
  for (const [tag, at, note, kind, size] of stored) {
    const body = { tag, at, note, kind, size, notes: note === null ? null : [note] }
    assert.equal((await service.ask('POST', '/api/v1/moments', { body })).status, 201)
  }
})
after(() => service.stop())

const finer = '2026-01-01T00:00:00.0005Z'
const found: readonly (readonly [query: string, tags: string])[] = [
  [`at=${finer}`, ''],
  [`at[ne]=${finer}`, 'abcde'],
  [`at[gt]=${finer}`, 'cd'],
  [`at[gte]=${finer}`, 'cd'],
  [`at[lt]=${finer}`, 'ab'],
  [`at[lte]=${finer}`, 'ab'],
  [`at[in]=${finer},2026-01-01T00:00:00.001000Z`, 'c'],
  [`since=${finer}`, 'cd'],
  [`until=${finer}`, 'ab'],
  ['at=2026-01-01T00:00:00.000000Z', 'b'],
  ['at=2026-01-01T01:00:00.0000000000%2B01:00', 'b'],
  ['at[gte]=2026-01-01T01:00:00.000000000001%2B01:00', 'cd'],
  ['at[gte]=2025-12-31T23:59:59.9995Z', 'bcd'],
  ['at[lte]=2025-12-31T23:59:59.9995Z', 'a'],
  ['at[gt]=1969-12-31T23:59:59.9995Z', 'bcd'],
  ['at[lt]=1969-12-31T23:59:59.9995Z', 'a'],
  ['at[gt]=9999-12-31T23:59:59.9999Z', ''],
  ['at[lt]=9999-12-31T23:59:59.9999Z', 'abcd'],
  ['at[gt]=0000-01-01T00:00:00.0001Z', 'abcd'],
  [`filter={"at":{"gte":"${finer}"}}`, 'cd'],
  [`filter={"not":{"at":{"in":["${finer}","2026-01-01T00:00:00.001Z"]}}}`, 'abde'],
  [`sort=-at&cursor=&limit=2&at[lt]=${finer}`, 'ba'],
  ['note[in]=%20lead', 'b'],
  ['note[in]=lead%20', 'c'],
  ['note[in]=lead', 'a'],
  ['note[in]=lead,%20lead', 'ab'],
  ['note[in]=%20', 'd'],
  ['note=%20lead', 'b'],
  ['notes[in]=%20lead,%20', 'bd'],
  ['notes=lead%20', 'c'],
  ['filter={"note":{"in":[" lead"]}}', 'b'],
  ['kind[in]=one,%20two', 'abcd'],
  ['size[in]=1,%202', 'ab'],
  ['at[in]=2026-01-01T00:00:00Z,%202026-01-01T00:00:00.001Z', 'bc'],
]
for (const [query, tags] of found)
  test(`${query} finds ${tags === '' ? 'nothing' : tags}`, async () => {
    const reply = await service.ask('GET', `/api/v1/moments?${query}`)
    assert.equal(reply.status, 200, reply.text)
    const data = reply.body.data as { tag: string }[]
    assert.equal(data.map(({ tag }) => tag).join(''), tags)
    if (reply.body.meta.total !== undefined) assert.equal(reply.body.meta.total, data.length)
  })

test('GraphQL, summaries and writes by a filter find the same', async () => {
  const { ask } = service
  const query = `query ($at: DateTime) {
    after: moments(filter: { at: { gte: $at } }) { data { tag } }
    same: moments(filter: { at: { in: ["${finer}"] } }) { meta { total } }
    since: moments(since: "${finer}") { meta { total } }
  }`
  const { body } = await ask('POST', '/graphql', { body: { query, variables: { at: finer } } })
  const data = [{ tag: 'c' }, { tag: 'd' }]
  assert.deepEqual(body.data, { after: { data }, same: { meta: { total: 0 } }, since: { meta: { total: 2 } } })
  const summary = await ask('GET', `/api/v1/moments/summary?group=kind&at[lt]=${finer}`)
  assert.deepEqual(
    summary.body.data.map((one: { count: number }) => one.count),
    [1, 1],
  )
  const write = await ask('PATCH', `/api/v1/moments?at[gte]=${finer}&limit=10`, { body: { size: 9 } })
  assert.deepEqual(write.body, { success: true, updated: 2 })
  const bad = await ask('GET', '/api/v1/moments?at[in]=%20soon')
  assert.deepEqual([bad.status, bad.body.error], [400, 'at[in] must be a timestamp such as 2026-01-31T12:00:00Z'])
})

test('a finer time in a body is stored in milliseconds, as before', async () => {
  const { body } = await service.ask('POST', '/api/v1/moments', { body: { tag: 'z', at: finer } })
  assert.equal(body.at, '2026-01-01T00:00:00.000Z')
})
