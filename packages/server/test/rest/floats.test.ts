/** Floats by all doors, on the database of this run: each bit comes back as it was sent. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { csvLines, csvRows } from '../../src/cli/lines/csv.ts'
import { anyone, atLeast, computed, defineResource, derived, equals, float, id, text, where } from '../../src/index.ts'
import { resources, type TestService } from '../helpers/application.ts'
import { makeRandom } from '../scale/random-requests.ts'

const access = { read: anyone, write: anyone, import: anyone, export: anyone }
const probes = defineResource({
  name: 'probe',
  path: '/probes',
  history: { keep: 3 },
  trash: { days: 1 },
  fields: {
    id: id(),
    name: text({ default: 'n' }),
    value: float({ required: true }),
    level: float({ default: 0.5, min: 0, max: 1.5 }),
    key: float({ unique: true }),
    third: computed(float(), ({ value }) => value / 3),
    half: derived(float(), ({ value }) => value / 2),
  },
  list: {
    style: 'page',
    sortable: ['value', 'third'],
    filters: { value: equals('value'), minLevel: atLeast('level') },
  },
  access,
  upsert: ['key'],
})
const marks = defineResource({
  name: 'mark',
  path: '/marks',
  fields: { id: id(), value: float() },
  list: { style: 'page', sortable: ['value'], filters: { value: equals('value') } },
  access: { ...access, get: where({ value: { gt: 0.1 } }) },
})

const random = makeRandom(7)
const bytes = new DataView(new ArrayBuffer(8))
/** Doubles of random bits. */
const wild = Array.from({ length: 80 }, () => {
  bytes.setUint32(0, Math.floor(random() * 2 ** 32))
  bytes.setUint32(4, Math.floor(random() * 2 ** 32))
  return bytes.getFloat64(0)
}).filter(Number.isFinite)
const edges = [0, 5, 0.1, -0.1, 0.1 + 0.2, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 2.2250738585072014e-308]
// SQLite reads the last ones in JSON as their neighbours.
const values = [...new Set([...edges, -1e21, 1e20, 2 ** 53, 2 ** 53 + 2, 123456789.125, 1 / 3, ...wild])]
const sorted = values.toSorted((a, b) => a - b)

let own: TestService
before(async () => {
  own = await startOf([...resources, probes, marks])
})
after(() => own.stop())

const at = (path: string) => own.ask('GET', `/api/v1${path}`)
const make = (path: string, body: object) => own.ask('POST', `/api/v1${path}`, { body })
const graphql = async (query: string, variables = {}) =>
  (await own.ask('POST', '/graphql', { body: { query, variables } })).body
const valuesIn = ({ data }: { data: { value: number }[] }) => data.map(({ value }) => value)
/** The texts of the numbers, as the response has them. */
const textsOf = (text: string) => [...text.matchAll(/"value":([^,}]+)/g)].map(([, number]) => number)

test('JSON, filters, sorts, pages and the ends keep each bit', async () => {
  for (const value of values) {
    const made = await make('/probes', { value })
    assert.deepEqual([made.status, made.body.value, made.body.half], [201, value, value / 2], made.text)
    assert.deepEqual(textsOf(made.text), [JSON.stringify(value)])
    const among = await at(`/probes?value[in]=${encodeURIComponent(`${value},0.7`)}`)
    assert.deepEqual([valuesIn(among.body), among.body.meta.total], [[value], 1])
    assert.deepEqual(valuesIn((await at(`/probes?value=${encodeURIComponent(value)}`)).body), [value])
    const tree = encodeURIComponent(JSON.stringify({ value: { in: [value] } }))
    assert.deepEqual(valuesIn((await at(`/probes?filter=${tree}`)).body), [value])
  }
  const all = await at('/probes?limit=100&sort=value')
  assert.deepEqual(
    textsOf(all.text),
    sorted.map((value) => JSON.stringify(value)),
  )
  const above = await at('/probes?limit=100&sort=-value&value[gt]=0')
  assert.deepEqual(valuesIn(above.body), sorted.filter((one) => one > 0).toReversed())
  const pages: number[] = []
  for (let page = 1; pages.length < sorted.length; page += 1)
    pages.push(...valuesIn((await at(`/probes?sort=value&limit=10&page=${page}`)).body))
  assert.deepEqual(pages, sorted)
  const { body } = await at('/probes/summary?least=value&most=value')
  assert.deepEqual(body.data, [{ count: sorted.length, least: { value: sorted[0] }, most: { value: sorted.at(-1) } }])
  const groups = await at('/probes/summary?group=value&sort=value')
  assert.deepEqual(
    groups.body.data.map((one: { value: number }) => one.value),
    sorted,
  )
  for (const kind of ['sum', 'average'])
    assert.match(
      (await at(`/probes/summary?${kind}=value`)).body.error,
      /Cannot take the .* of value; possible: nothing/,
    )
  const thirds = await at('/probes?limit=100&sort=third,value')
  assert.deepEqual(
    thirds.body.data.map((one: { third: number }) => one.third),
    sorted.map((one) => one / 3 || 0),
  )
})

test('GraphQL reads, writes and finds each bit', async () => {
  const query = 'query ($in: [Float!]) { probes(filter: { value: { in: $in } }, limit: 100) { data { value } } }'
  const found = await graphql(query, { in: values })
  assert.deepEqual(
    valuesIn(found.data.probes).toSorted((a, b) => a - b),
    sorted,
  )
  for (const value of [...edges, ...wild.slice(0, 5)]) {
    const text = Object.is(value, 0) ? '-0.0' : JSON.stringify(value)
    const made = await graphql(`mutation { createMark(input: { value: ${text} }) { value } }`)
    assert.deepEqual(made.data, { createMark: { value } }, JSON.stringify(made))
  }
  const ends = await graphql('{ probesSummary { least { value } most { value } } }')
  assert.deepEqual(ends.data.probesSummary, [{ least: { value: sorted[0] }, most: { value: sorted.at(-1) } }])
  const huge = await graphql('mutation { createMark(input: { value: 1e400 }) { value } }')
  assert.match(JSON.stringify(huge.errors), /value must be a finite number/)
})

test('files and cursors keep each bit', async () => {
  const marked = own.service.engine.catalog.get('mark')
  const chunks = (async function* () {
    yield Buffer.from(['value', ...values.slice(0, 40), ''].join('\n'))
  })()
  const lines = (
    await Array.fromAsync(csvLines({ resource: marked, fieldOf: (name) => marked.fields[name] }, chunks))
  ).map((line) => line.parse())
  const more = values.slice(40).map((value) => ({ value }))
  const raw = [...lines, ...more].map((line) => JSON.stringify(line)).join('\n')
  const sent = await own.ask('POST', '/api/v1/marks/import', { raw, type: 'application/x-ndjson' })
  assert.deepEqual([sent.status, sent.body.rejected], [200, 0], sent.text)
  const pages: number[] = []
  for (let path: string | undefined = '/api/v1/marks?limit=7&sort=value'; path; ) {
    const page = await own.ask('GET', path)
    assert.equal(page.status, 200, page.text)
    pages.push(...valuesIn(page.body))
    path = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
  }
  const most = pages.toSorted((a, b) => a - b)
  assert.deepEqual(pages, most)
  assert.deepEqual([...new Set(pages)], sorted)
  const rows = csvRows(
    marked,
    ['value'],
    pages.map((value) => ({ value })),
  )
  assert.deepEqual(rows.trim().split(/\r?\n/), pages.map(String))
})
test('a record by its float, its versions and its trash', async () => {
  const [key] = wild as [number]
  const put = (body: object) => own.ask('PUT', '/api/v1/probes?on=key', { body: { key, ...body } })
  const made = await put({ value: 1 / 3 })
  assert.deepEqual([made.status, made.body.key], [201, key], made.text)
  const again = await put({ value: 2 / 3 })
  assert.deepEqual([again.status, again.body.id, again.body.value], [200, made.body.id, 2 / 3])
  assert.equal((await make('/probes', { value: 1, key })).status, 409)
  const path = `/api/v1/probes/${made.body.id}`
  const [last] = (await own.ask('GET', `${path}/history`)).body.data
  assert.deepEqual([last.value, last.historyVersion], [2 / 3, 2], JSON.stringify(last))
  assert.equal((await own.ask('DELETE', path)).status, 204)
  const back = await own.ask('POST', `${path}/restore`)
  assert.deepEqual([back.status, back.body.key, back.body.value], [200, key, 2 / 3], back.text)
  const hidden = await make('/marks', { value: 0.1 })
  assert.equal((await at(`/marks/${hidden.body.id}`)).status, 404)
})

test('other values are refused, each with a sentence', async () => {
  const raw = async (text: string) => {
    const { status, body } = await own.ask('POST', '/api/v1/probes', { raw: text, type: 'application/json' })
    return [status, body.error ?? body.level]
  }
  assert.deepEqual(await raw('{"value":1e400}'), [400, '1e400 is too large a number'])
  assert.deepEqual(await raw('{"value":1e-400}'), [400, '1e-400 is too small a number'])
  assert.deepEqual(await raw('{"value":9007199254740993}'), [
    400,
    '9007199254740993 is beyond what a JSON number holds exactly',
  ])
  assert.deepEqual(await raw('{"value":NaN}'), [400, 'The body is not valid JSON'])
  assert.deepEqual(await raw('{"value":"NaN"}'), [400, 'value must be a number'])
  assert.deepEqual(await raw('{"value":1,"level":1.6}'), [400, 'level must be at most 1.5'])
  const [, level] = await raw('{"value":1,"level":-0.0}')
  assert.ok(Object.is(level, 0))
  assert.equal((await at('/probes?value=1e400')).body.error, 'value must be a finite number')
  assert.equal((await at('/probes?value=Infinity')).body.error, 'value must be a number')
  assert.equal((await at('/probes?value=1,5')).body.error, 'value must be a number')
})
