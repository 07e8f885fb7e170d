/**
 * Reads by a filter in the name of the system equal those that a plain loop over all records makes.
 * Inside a transaction they see its writes. Mistakes are told, and none finds every record.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { startService, type TestService } from 'bindery-server/test'
import { codeEngineOf } from '../../src/code/judged-engine.ts'
import { callerCode } from '../../src/code/outside-code.ts'
import {
  anyone,
  bigint,
  boolean,
  choice,
  decimal,
  defineAction,
  defineResource,
  id,
  integer,
  json,
  list,
  manyToMany,
  money,
  reference,
  text,
  timestamp,
} from '../../src/index.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'

const shelves = defineResource({
  name: 'shelf',
  plural: 'shelves',
  path: '/shelves',
  fields: { id: id(), name: text({ required: true }), rent: money() },
  list: { style: 'page' },
  access: { get: anyone, list: anyone },
})

const fields = {
  id: id(),
  title: text({ required: true, maxLength: 20 }),
  state: choice(['OPEN', 'LENT'], { default: 'OPEN' }),
  price: money(),
  copies: integer({ default: 1 }),
  serial: bigint(),
  weight: decimal({ precision: 18, scale: 3 }),
  note: text({ hidden: true }),
  isNew: boolean({ default: false }),
  boughtAt: timestamp(),
  words: list(text()),
  extra: json(),
  shelfId: reference('shelf'),
  tags: manyToMany('shelf'),
}
const ask = defineAction(fields, {
  output: { text: text({ required: true, maxLength: 20_000 }) },
  input: { query: text({ required: true }) },
  async run({ records, input }) {
    const made = await records(books).create({ title: 'Made', price: 7 })
    const own = records(books) as unknown as Readonly<Record<string, (given: unknown) => Promise<unknown>>>
    const { method, given } = JSON.parse(input.query) as { method: string; given: unknown }
    const titles: string[] = []
    if (method === 'each') for await (const { title } of records(books).each(given as object)) titles.push(title)
    const found = method === 'each' ? titles : await own[method]?.(given)
    await records(books).delete(made.id)
    return { text: JSON.stringify(found, (_, one) => (typeof one === 'bigint' ? String(one) : one)) }
  },
})
const books = defineResource({
  name: 'book',
  path: '/books',
  fields,
  // Neither bounds the code of the system.
  list: { style: 'page', filterable: ['title'], sortable: ['title'] },
  access: { get: anyone, list: anyone, ask: anyone },
  actions: { ask },
})

let service: TestService
const all: Record<string, never>[] = []
before(async () => {
  service = await startService([shelves, books])
  const rooms = []
  for (const rent of [100, 250]) rooms.push(await service.make('shelf', { name: `Shelf ${rent}`, rent: rent / 100 }))
  const { records } = code()
  for (let i = 0; i < 60; i += 1) {
    const made = await records.system(books).create({
      title: `Book ${String(i % 20).padStart(2, '0')}`,
      state: i % 3 === 0 ? 'LENT' : 'OPEN',
      price: i % 7 === 0 ? null : i * 125,
      copies: i % 5,
      serial: i % 2 === 0 ? 9_223_372_036_854_775_000n - BigInt(i) : BigInt(-i),
      weight: BigInt(i) * 900_719_925_474_123n,
      note: i % 4 === 0 ? 'secret' : null,
      boughtAt: `2026-0${1 + (i % 9)}-03T10:00:00.000Z`,
      words: i % 2 === 0 ? ['a', 'b'] : [],
      extra: { size: i },
      shelfId: i % 6 === 0 ? null : (rooms[i % 2]?.id as string),
      tags: i % 10 === 0 ? [rooms[0]?.id as string] : [],
    })
    all.push(made as never)
  }
})
after(() => service.stop())

function code() {
  const { engine } = service.service
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const deps = { engine: codeEngineOf(engine), fetch: engine.outgoing.guarded('test'), log, author: serviceAuthor }
  return callerCode(deps, { name: 'test', signal: AbortSignal.timeout(600_000) })
}

type Book = (typeof all)[number]
const value = (one: Book, name: string): never => one[name] as never
const cases: readonly (readonly [filter: object, matches: (one: Book) => boolean])[] = [
  [{}, () => true],
  [{ state: { eq: 'LENT' } }, (one) => value(one, 'state') === 'LENT'],
  [{ price: { gte: 2500 } }, (one) => value(one, 'price') !== null && value(one, 'price') >= 2500],
  [{ price: { null: true } }, (one) => value(one, 'price') === null],
  [{ serial: { gt: 0n } }, (one) => value(one, 'serial') > 0n],
  [{ weight: { lt: 9_007_199_254_741_230n } }, (one) => value(one, 'weight') < 9_007_199_254_741_230n],
  [{ note: { startsWith: 'sec' } }, (one) => value(one, 'note') === 'secret'],
  [{ copies: { in: [1, 2] }, isNew: { eq: false } }, (one) => [1, 2].includes(value(one, 'copies'))],
  [{ words: { empty: true } }, (one) => (value(one, 'words') as string[]).length === 0],
  [{ extra: { path: 'size', gte: 50 } }, (one) => (value(one, 'extra') as { size: number }).size >= 50],
  [{ tags: { null: false } }, (one) => all.indexOf(one) % 10 === 0],
  // The stored value of a field behind a reference, too.
  [{ shelf: { rent: { gt: 100 } } }, (one) => value(one, 'shelfId') !== null && all.indexOf(one) % 2 === 1],
  [{ tags: { some: { rent: { lte: 100 } } } }, (one) => all.indexOf(one) % 10 === 0],
  [
    { or: [{ not: { state: { eq: 'OPEN' } } }, { and: [{ copies: { eq: 0 } }, { title: { contains: '1' } }] }] },
    (one) =>
      value(one, 'state') === 'LENT' || (value(one, 'copies') === 0 && (value(one, 'title') as string).includes('1')),
  ],
]

it('equal a plain loop, outside of a transaction and inside', async () => {
  const { records, transaction } = code()
  const check = async (own: ReturnType<typeof records.system>) => {
    for (const [filter, matches] of cases) {
      const about = JSON.stringify(filter, (_, one) => (typeof one === 'bigint' ? String(one) : one))
      const expected = all.filter(matches)
      const ids = (some: readonly { readonly [name: string]: unknown }[]) => some.map(({ id: one }) => one)
      const query = { filter } as object
      assert.deepEqual(ids((await own.find(query)) as never), ids(expected), about)
      assert.equal(await own.count(query), expected.length, about)
      for (const name of ['price', 'copies', 'serial', 'weight'] as const) {
        const numbers = expected.map((one) => value(one, name) as bigint | number | null).filter((one) => one !== null)
        const sum = numbers.reduce<bigint>((whole, one) => whole + BigInt(one), 0n)
        const found: unknown = await own.sum(name as never, query)
        assert.equal(found, name === 'serial' || name === 'weight' ? sum : Number(sum), `${name} of ${about}`)
      }
      const walked: unknown[] = []
      for await (const one of own.each(query)) walked.push((one as { id: unknown }).id)
      assert.deepEqual(walked, ids(expected), about)
    }
  }
  await check(records.system(books) as never)
  await transaction(({ records: inside }) => check(inside.system(books) as never))
})

it('sort by every stored field, and by one behind a reference, in pages', async () => {
  const { records, transaction } = code()
  for (const sort of ['-price', 'note', 'serial', '-shelf.name', 'boughtAt'] as const) {
    const pages = async (own: ReturnType<typeof records.system<typeof fields>>) => {
      const ids: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await own.page({ sort, limit: 7, after: cursor })
        assert.ok(page.records.length <= 7 && page.records.every((one) => !('shelf.name' in one)))
        ids.push(...page.records.map((one) => one.id))
        cursor = page.next
      }
      return ids
    }
    const outside = await pages(records.system(books))
    assert.deepEqual([...outside].sort(), all.map((one) => value(one, 'id') as string).sort(), sort)
    assert.deepEqual(
      outside,
      (await records.system(books).find({ sort })).map((one) => one.id),
      sort,
    )
    assert.deepEqual(await transaction(({ records: inside }) => pages(inside.system(books))), outside, sort)
  }
})

it('group by fields, times and references, with stored values', async () => {
  const own = code().records.system(books)
  const [lent] = await own.groups({ by: 'state', sum: ['price', 'serial'], average: 'price', most: 'weight' })
  const some = all.filter((one) => value(one, 'state') === 'LENT')
  const prices = some.map((one) => value(one, 'price') as number | null).filter((one) => one !== null)
  assert.deepEqual(lent, {
    state: 'LENT',
    count: 20,
    sum: {
      price: prices.reduce((a, b) => a + b, 0),
      serial: some.reduce((whole, one) => whole + (value(one, 'serial') as bigint), 0n),
    },
    average: { price: Math.round(prices.reduce((a, b) => a + b, 0) / prices.length) },
    most: { weight: 57n * 900_719_925_474_123n },
  })
  const byNote = await own.groups({ by: 'note', sort: '-count', limit: 1 })
  assert.deepEqual(byNote, [{ note: null, count: 45 }])
  const months = await own.groups({ by: ['boughtAt.quarter', 'shelf.name'], filter: { copies: { gt: 0 } } })
  assert.equal(months[0]?.['boughtAt.quarter'], '2026-Q1')
  assert.equal(
    months.reduce((whole, one) => whole + one.count, 0),
    all.filter((one) => (value(one, 'copies') as number) > 0).length,
  )
})

it('see the writes of their own transaction, and take the walks of guarded code', async () => {
  const [book] = all
  const asked = async (method: string, given: unknown) => {
    const body = { query: JSON.stringify({ method, given }) }
    const reply = await service.ask('POST', `/api/v1/books/${book?.id}/ask`, { body })
    return reply.status === 200 ? JSON.parse(reply.body.text) : reply
  }
  assert.equal(await asked('count', {}), 61)
  assert.deepEqual(await asked('each', { filter: { price: { eq: 7 } } }), ['Made'])
  assert.equal((await asked('each', { sort: 'title' })).length, 61)
  assert.equal((await asked('page', { limit: 3 })).records.length, 3)
  assert.deepEqual(
    await asked('groups', { by: 'price', filter: { price: { lt: 100 } } }),
    [
      { price: 0, count: all.filter((one) => value(one, 'price') === 0).length },
      { price: 7, count: 1 },
    ].filter(({ count }) => count > 0),
  )
  // A mistake of the code is none of its caller, and names no field to it.
  const mistaken = await asked('find', { filter: { titel: { eq: 'a' } } })
  assert.deepEqual([mistaken.status, mistaken.body], [500, { error: 'Internal server error' }])
  assert.match(service.logged.join('\n'), /records\(book\)\.find: Unknown field titel in filter/)
  const beyond = await asked('find', { filter: { copies: { eq: 'many' } } })
  assert.deepEqual([beyond.status, beyond.body.error], [400, 'copies[eq] must be a number'])
})

it('tell mistakes, and find nothing by them', async () => {
  const own = code().records.system(books) as unknown as Readonly<
    Record<string, (...given: readonly unknown[]) => Promise<unknown>>
  >
  const [, second] = [0, (await code().records.system(books).page({ limit: 1 })).next]
  const refused: readonly (readonly [method: string, given: readonly unknown[], message: RegExp])[] = [
    ['count', [{ where: {} }], /^count takes filter, and no where$/],
    ['find', [{ after: null }], /^find takes filter, sort, limit, and no after$/],
    ['find', ['title'], /^find takes an object: \{ filter, sort, limit \}$/],
    ['find', [{ filter: [] }], /records\(book\)\.find: filter must be an object/],
    ['find', [{ filter: { titel: { eq: 'a' } } }], /records\(book\)\.find: Unknown field titel in filter/],
    ['find', [{ filter: JSON.parse('{"__proto__":{"eq":1}}') }], /filter: The key __proto__ is not allowed/],
    ['find', [{ filter: { constructor: { eq: 'a' } } }], /filter: The key constructor is not allowed/],
    ['find', [{ filter: { title: undefined } }], /title in filter is undefined: leave it out/],
    ['find', [{ filter: { title: { eq: undefined } } }], /title\[eq\] in filter is undefined: leave it out/],
    ['find', [{ filter: { shelf: { name: { eq: undefined } } } }], /name\[eq\] in filter is undefined/],
    ['find', [{ filter: { title: { eq: null } } }], /title\[eq\] must not be null/],
    ['find', [{ filter: { title: { eq: () => 'a' } } }], /find: eq in filter is no value/],
    ['find', [{ filter: { extra: { path: 'size', eq: undefined } } }], /find: eq in filter is no value/],
    ['find', [{ filter: { copies: { eq: Symbol('a') } } }], /find: eq in filter is no value/],
    ['find', [{ filter: { title: { eq: 'a\0b' } } }], /^filter: must not contain a NUL character$/],
    ['find', [{ filter: new Map([['title', 'a']]) }], /find: filter must be an object/],
    ['count', [new Map()], /^count takes an object: \{ filter \}$/],
    ['find', [{ filter: { title: { like: 'a' } } }], /title\[like\] is no filter/],
    ['find', [{ filter: { price: { gte: 'much' } } }], /price\[gte\] must be a number/],
    ['find', [{ filter: { serial: { eq: {} } } }], /serial\[eq\] must be/],
    ['find', [{ filter: { unknown: { eq: 1n } } }], /Unknown field unknown in filter/],
    ['find', [{ limit: -1 }], /^limit must be a whole number from 1 to 10000$/],
    ['find', [{ limit: 1e9 }], /^limit must be a whole number from 1 to 10000$/],
    ['page', [{ limit: 1001 }], /^limit must be a whole number from 1 to 1000$/],
    ['page', [{ limit: '5' }], /^limit must be a whole number from 1 to 1000$/],
    ['page', [{ after: 'x' }], /^Invalid cursor$/],
    ['page', [{ after: 7 }], /^Invalid cursor$/],
    ['page', [{ after: second, sort: 'title' }], /^Invalid cursor$/],
    ['page', [{ after: second, filter: { title: { eq: 'a' } } }], /^Invalid cursor$/],
    ['page', [{ sort: 'titel' }], /records\(book\)\.page: Cannot sort by titel; sortable: title, id,/],
    ['page', [{ sort: 'extra' }], /Cannot sort by extra/],
    ['page', [{ sort: ['title,price'] }], /sort must be a name, or a list of names/],
    ['page', [{ sort: 5 }], /sort must be a name, or a list of names/],
    ['sum', ['title'], /records\(book\)\.sum: Cannot take the sum of title; possible: price, copies, serial, weight/],
    ['sum', ['__proto__'], /Cannot take the sum of __proto__/],
    ['sum', [undefined], /Cannot take the sum of undefined/],
    ['groups', [{ by: ['title', 'state', 'copies'] }], /group takes at most 2 fields/],
    ['groups', [{ by: 'titel' }], /records\(book\)\.groups: Cannot group by titel/],
    ['groups', [{ by: 'state', limit: 0 }], /^limit must be from 1 to 1000$/],
    ['groups', [{ by: 'state', zone: 'Mars' }], /_tz must be the name of a time zone/],
  ]
  for (const [method, given, message] of refused)
    await assert.rejects(async () => own[method]?.(...given), { message }, `${method} ${String(message)}`)
  assert.throws(() => own.each?.({ limit: 5 }), /^Error: each takes filter, sort, and no limit$/)
})

it('refuse more records than 10,000 at once, and more groups than 1,000', async () => {
  const { records } = code()
  const own = records.system(books)
  const most = 10_001
  const { engine } = service.service
  await engine.records.transaction(serviceAuthor, async (tx) => {
    const resource = engine.catalog.get('shelf')
    const prepared = []
    for (let i = 0; i < most; i += 1) prepared.push(await tx.prepare(resource, { name: `Many ${i}` }))
    await tx.insertAll(prepared)
  })
  const many = records.system(shelves)
  const conflict = { code: 'conflict', message: 'More than 10000 records of shelves: too many for one action' }
  await assert.rejects(many.find(), conflict)
  await assert.rejects(many.list({}), conflict)
  assert.equal((await many.find({ limit: 10_000 })).length, 10_000)
  assert.equal(await many.count(), most + 2)
  let walked = 0
  for await (const { name } of many.each({ sort: '-name' })) walked += name === '' ? 0 : 1
  assert.equal(walked, most + 2)
  await assert.rejects(many.groups({ by: 'name' }), { code: 'bad-request', message: /more than 1000 groups/ })
  assert.equal(await own.count(), 60)
})
