/**
 * Filters by members of JSON values: each database finds the records that an evaluation in
 * JavaScript finds, for odd names, types and numbers.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from 'bindery-server/test'
import { anyone, boolean, defineResource, id, integer, json, where } from '../../src/index.ts'
import { type Condition, type MemberValue, not } from '../../src/resource/condition.ts'
import { makeMatcher } from '../../src/storage/derived/match.ts'

const things = defineResource({
  name: 'thing',
  path: '/things',
  fields: {
    id: id(),
    at: integer({ required: true }),
    data: json(),
    isShown: boolean({ default: true }),
    hidden: json({ read: where({ isShown: true }) }),
  },
  list: { style: 'page', sortable: ['at'], filterable: ['data', 'hidden'], defaultSort: 'at', bulk: true },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone, import: anyone },
})
const api = '/api/v1/things'
const names = [
  'a',
  'b',
  '',
  '0',
  '1',
  'a.b',
  'a"b',
  "a'b",
  'é\\x',
  '\n',
  '[0]',
  '$',
  '#',
  '\u2028',
  '😀',
  '__a',
  'x'.repeat(200),
]
const scalars: readonly MemberValue[] = [
  ...[null, true, false, 0, 1, -1, 1.5, 100, 1e-7, 1234.5678, 0.30000000000000004, 9007199254740991, -2.5e-300, 5e-324],
  ...[
    '',
    '1',
    '1.0',
    '100',
    'true',
    'null',
    'dark',
    'Dark',
    'dark ',
    'é',
    'e\u0301',
    '😀',
    '\uffee',
    'a"b',
    'a\\b',
    '\u2028',
  ],
]
let seed = 42
/** The same numbers in each run, from 0 to 1 (Park and Miller). */
function next(): number {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647
}
const pick = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)] as T
function valueAt(depth: number): unknown {
  const kind = next()
  if (depth === 3 || kind < 0.35) return pick(scalars)
  if (kind < 0.5) return Array.from({ length: Math.floor(next() * 3) }, () => valueAt(depth + 1))
  return Object.fromEntries(Array.from({ length: 6 }, () => [pick(names), valueAt(depth + 1)]))
}
const rows = Array.from({ length: 150 }, (_, at) => ({ at, data: at % 10 === 0 ? null : valueAt(0) }))

let service: TestService
before(async () => {
  service = await startService([things])
  const raw = rows.map((row) => JSON.stringify(row)).join('\n')
  const done = await service.ask('POST', `${api}/import`, { raw, type: 'application/x-ndjson' })
  assert.equal(done.body.created, rows.length, done.text)
})
after(() => service.stop())

async function found(filter: object): Promise<number[]> {
  const places: number[] = []
  for (let page = 1; ; page += 1) {
    const reply = await service.ask(
      'GET',
      `${api}?limit=100&page=${page}&filter=${encodeURIComponent(JSON.stringify(filter))}`,
    )
    assert.equal(reply.status, 200, reply.text)
    places.push(...reply.body.data.map(({ at }: { at: number }) => at))
    if (page >= reply.body.meta.totalPages) return places
  }
}

test('the database finds what JavaScript finds', async () => {
  const { catalog, storage } = service.service.engine
  const resource = catalog.get('thing')
  const matcher = makeMatcher()
  const counts = new Map<string, number>()
  const sort = [{ field: 'at', descending: false }]
  const stored = async (condition: Condition) =>
    (await storage.list(resource, { where: condition, sort, limit: rows.length })).map(({ at }) => at)
  for (let round = 0; round < 300; round += 1) {
    const path = Array.from({ length: 1 + Math.floor(next() * 2) }, () => pick(names))
    const value = pick(scalars)
    const orders = typeof value === 'string' || typeof value === 'number' ? (['gt', 'gte', 'lt', 'lte'] as const) : []
    const operator = pick(['eq', 'has', 'eq', ...orders] as const)
    const condition: Condition = { kind: 'member', field: 'data', path, operator, value }
    const matches = matcher.compile(resource, condition)
    const expected = rows.filter((row) => matches(row) === true).map(({ at }) => at)
    const others = rows.filter((row) => matches(row) !== true).map(({ at }) => at)
    const said = JSON.stringify(condition)
    assert.deepEqual([await stored(condition), await stored(not(condition))], [expected, others], said)
    counts.set(operator, (counts.get(operator) ?? 0) + expected.length)
  }
  assert.ok([...counts.values()].every((count) => count > 10) && counts.size === 6, JSON.stringify([...counts]))
})

test('types are never mixed, and null is no absence', async () => {
  const make = async (data: unknown, more: object = {}) =>
    (await service.ask('POST', api, { body: { at: 1000 + made.length, data, ...more } })).body
  const made: { at: number }[] = []
  const members = [1, '1', 100, true, null, [1], { q: 1 }].map((q) => ({ q }))
  for (const data of [...members, {}, 'q', null]) made.push(await make(data))
  const places = async (filter: object) =>
    (await found({ data: { path: 'q', ...filter } })).filter((at) => at >= 1000).map((at) => at - 1000)
  assert.deepEqual(await places({ eq: 1 }), [0])
  assert.deepEqual(await places({ eq: '1' }), [1])
  assert.deepEqual(await places({ eq: 1e2 }), [2])
  assert.deepEqual(await places({ eq: true }), [3])
  assert.deepEqual(await places({ eq: null }), [4])
  assert.deepEqual(await places({ in: [1, '1', null] }), [0, 1, 4])
  assert.deepEqual(await places({ ne: 1 }), [1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.deepEqual(await places({ exists: true }), [0, 1, 2, 3, 4, 5, 6])
  assert.deepEqual(await places({ gte: 1, lt: 100 }), [0])
  assert.deepEqual(await places({ gt: '' }), [1])
  assert.deepEqual(await found({ data: { path: 'q.q', eq: 1 } }), [1006])
  assert.deepEqual(await found({ data: { path: ['q', '0'], exists: true } }), [])
  const query = '{ things(filter: { data: { path: ["q", "q"], in: [1, 2] } }) { data { at } } }'
  const { body } = await service.ask('POST', '/graphql', { body: { query } })
  assert.deepEqual(body.data, { things: { data: [{ at: 1006 }] } }, JSON.stringify(body))
})

test('a kept answer changes with the member', async () => {
  const { body } = await service.ask('POST', api, { body: { at: 2000, data: { kept: { a: 1 } } } })
  const filter = { data: { path: 'kept.a', eq: 1 } }
  assert.deepEqual([await found(filter), await found(filter)], [[2000], [2000]])
  await service.ask('PATCH', `${api}/${body.id}`, { body: { data: { kept: { a: '1' } } } })
  assert.deepEqual(await found(filter), [])
  await service.ask('PATCH', `${api}/${body.id}`, { body: { data: { kept: { a: 1, b: 2 } } } })
  assert.deepEqual(await found(filter), [2000])
})

test('a record that hides the field counts as one without a value', async () => {
  for (const [at, isShown] of [
    [3000, true],
    [3001, false],
  ])
    await service.ask('POST', api, { body: { at, isShown, hidden: { h: 1 }, data: { hides: 1 } } })
  const among = async (filter: object) => found({ data: { path: 'hides', eq: 1 }, hidden: { path: 'h', ...filter } })
  assert.deepEqual(await among({ eq: 1 }), [3000])
  assert.deepEqual(await among({ exists: false }), [3001])
  assert.deepEqual(await among({ ne: 1 }), [3001])
})

test('what is no filter of a member is refused', async () => {
  const byMember = '; filter={"data":{"path":…,"eq":…}} compares a member'
  for (const [query, name] of [
    ['data[path]=fuel', 'data[path]'],
    ['data[eq]=1', 'data[eq]'],
    ['data=1', 'data'],
  ]) {
    const reply = await service.ask('GET', `${api}?${query}`)
    assert.deepEqual([reply.status, reply.body.error], [400, `${name} is no filter; data takes null${byMember}`])
  }
  for (const [filter, error] of [
    [{ path: 'a' }, 'data needs one of eq, ne, in, gt, gte, lt, lte and exists beside path'],
    [{ path: 'a', like: 1 }, 'data[like] is no filter of a member; it takes eq, ne, in, gt, gte, lt, lte and exists'],
    [{ path: [], eq: 1 }, 'data[path] must be names with dots between, or a list of names'],
    [{ path: 7, eq: 1 }, 'data[path] must be names with dots between, or a list of names'],
    [{ path: 'a.'.repeat(40), eq: 1 }, 'data[path] must have at most 32 names'],
    [{ path: 'a', eq: { b: 1 } }, 'data[eq] must be a text, a number, true, false or null'],
    [{ path: 'a', gt: true }, 'data[gt] must be a text or a number'],
    [{ path: 'a', in: [] }, 'data[in] must be a list of values'],
    [{ path: 'a', exists: 1 }, 'data[exists] must be true or false'],
    [{ eq: 1 }, `data[eq] is no filter; data takes null${byMember}`],
  ] as const) {
    const reply = await service.ask('GET', `${api}?filter=${encodeURIComponent(JSON.stringify({ data: filter }))}`)
    assert.deepEqual([reply.status, reply.body.error], [400, error], JSON.stringify(filter))
  }
  const query = 'query ($of: JSON) { things(filter: { data: { path: $of, eq: $of } }) { data { at } } }'
  for (const sent of ['\0', '\ud800', ['\0'], {}]) {
    const { body } = await service.ask('POST', '/graphql', { body: { query, variables: { of: sent } } })
    assert.match(body.errors?.[0].message ?? body.error, /must/, JSON.stringify(body))
  }
})
