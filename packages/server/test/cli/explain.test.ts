/**
 * `bindery explain`: the chosen plan for reads of a large table, with its SQL and a measured run.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Bindery, embedded, makeBindery } from './bindery.ts'

type Explained = {
  readonly what: string
  readonly way: string
  readonly index?: string
  readonly entriesMax?: number
  readonly isOutside: boolean
  readonly sql: string
  readonly rows: number
}

const count = 2_500
const ends: (() => unknown)[] = []
let bindery: Bindery

const line = (_: unknown, i: number) =>
  `{"title":"Part ${i}","price":${(i % 1000) / 10},"subject":"${i % 4 ? 'Maps' : 'Parts'}"}\n`

before(async () => {
  bindery = makeBindery({ after: (end: () => unknown) => void ends.push(end) } as never, embedded)
  const { code, stderr } = await bindery.run(['import', 'editions', '-', '--format', 'ndjson'], {
    input: Array.from({ length: count }, line).join(''),
  })
  assert.equal(code, 0, stderr)
})
after(async () => {
  for (const end of ends) await end()
})

/** The JSON of one read that is explained. */
async function explained(request: string, what: 'list' | 'count'): Promise<Explained> {
  const [reads] = (await bindery.values('explain', request)) as unknown as [Explained[]]
  return reads.find((read) => read.what === what) as Explained
}

const lists: readonly (readonly [string, string, Partial<Explained>, RegExp])[] = [
  ['GET /api/v1/editions?sort=-price', 'in order', { rows: 20, isOutside: false }, /begins at the page/],
  ['GET /api/v1/editions?sort=price&page=100', 'a page far back', { rows: 20, isOutside: false }, /begins at the page/],
  ['GET /api/v1/editions?minPrice=10&maxPrice=90', 'a range', { rows: 20, isOutside: false }, /until the page is full/],
  ['GET /api/v1/editions?minPrice=10&maxPrice=10.05', 'a narrow range', { rows: 3, isOutside: false }, /a filter, sorted/],
  ['GET /api/v1/editions?title[contains]=99&sort=price', 'no index', { isOutside: false }, /until the page is full/],
] // biome-ignore format: a table

for (const [request, about, expected, way] of lists)
  test(`a list: ${about}`, async () => {
    const found = await explained(request, 'list')
    const told = Object.fromEntries(Object.keys(expected).map((name) => [name, found[name as keyof Explained]]))
    assert.deepEqual(told, expected)
    assert.match(found.way, way)
    assert.match(found.sql, /^select .* from "editions"/)
  })

test('a total is a sum of blocks, or counted where it is small', async () => {
  const all = await explained('GET /api/v1/editions?minPrice=10', 'count')
  assert.match(all.way, /rank index/)
  assert.equal(all.rows, 2_200)
})

test('for people: what, how, the statement and the time', async () => {
  const { code, stdout } = await bindery.run(['explain', 'GET /api/v1/editions?sort=price'])
  assert.equal(code, 0)
  assert.match(stdout, /^count of editions: 2,500 in [\d.]+ ms\n {2}way {6}\S/)
  assert.match(
    stdout,
    /\nlist of editions: 20 rows in [\d.]+ ms\n {2}way .*\n {2}index {4}\S+\n {2}entries {2}at most \d/,
  )
  assert.match(stdout, /\n {2}sql {6}select /)
})

test('what is no read of the API is a wrong call', async () => {
  for (const [request, message] of [
    ['POST /api/v1/editions', /only reads are explained/],
    ['GET /nowhere', /no GET route has the path \/nowhere/],
    ['GET /api/v1/editions?colour=red', /colour/],
  ] as const) {
    const { code, stderr } = await bindery.run(['explain', request])
    assert.ok(code === 1 || code === 2, String(code))
    assert.match(stderr, message)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
  }
})
