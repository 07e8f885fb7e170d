/** Lists of values of one type, by all doors: items are checked, found, and come back the same. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { csvLines, csvRows } from '../../src/cli/lines/csv.ts'
import {
  anyOf,
  anyone,
  bigint,
  boolean,
  choice,
  date,
  decimal,
  defineResource,
  float,
  id,
  integer,
  list,
  money,
  text,
  textList,
  time,
  timestamp,
  uuid,
  where,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import type { Field } from '../../src/resource/fields/field.ts'
import { resources, type TestService } from '../helpers/application.ts'

const key = '01987c5e-7c1f-7a3b-9d42-3f5a6b7c8d9e'
const boxes = defineResource({
  name: 'box',
  plural: 'boxes',
  path: '/boxes',
  fields: {
    id: id(),
    names: list(text({ maxLength: 10 }), { max: 3 }),
    sizes: list(integer({ min: 0 }), { max: 3 }),
    prices: list(decimal({ precision: 6, scale: 2 })),
    costs: list(money()),
    numbers: list(bigint()),
    flags: list(boolean()),
    readings: list(float({ max: 1e300 }), { max: 500 }),
    days: list(date()),
    times: list(time()),
    moments: list(timestamp()),
    keys: list(uuid(), { default: null }),
    colors: list(choice(['RED', 'GREEN', 'light blue']), { default: ['RED'] }),
    shades: list(choice(['DARK', 'LIGHT'])),
    old: textList(),
  },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, import: anyone },
})
const lamps = defineResource({
  name: 'lamp',
  path: '/lamps',
  fields: { id: id(), prices: list(decimal({ precision: 6, scale: 2 })), shades: list(choice(['DARK', 'LIGHT'])) },
  list: { style: 'page' },
  access: {
    list: anyOf([where({ shades: { overlaps: ['DARK'] } }), where({ prices: 1 }), where({ prices: { empty: true } })]),
    get: anyone,
    create: anyone,
  },
})
const full = {
  names: ['a', 'b'],
  sizes: [1, 20],
  prices: ['1.00', '-0.50'],
  costs: [19.99],
  numbers: ['9007199254740993'],
  flags: [true],
  readings: [1.5, 0, -1e-300],
  days: ['2026-01-31'],
  times: ['12:30:00'],
  moments: ['2026-01-31T12:00:00.000Z'],
  keys: [key],
  colors: ['GREEN', 'light blue'],
  shades: ['LIGHT', 'DARK'],
  old: ['x'],
}
const empty = Object.fromEntries(Object.keys(full).map((name) => [name, []]))

let own: TestService
before(async () => {
  own = await startOf([...resources, boxes, lamps])
  for (const body of [full, empty, { sizes: [2], prices: ['2.00'], keys: null, colors: ['RED'] }])
    assert.equal((await make('/boxes', body)).status, 201)
})
after(() => own.stop())

const at = (path: string) => own.ask('GET', `/api/v1${path}`)
const make = (path: string, body: object) => own.ask('POST', `/api/v1${path}`, { body })

describe('lists of one type', () => {
  it('come back as they were sent, with defaults', async () => {
    const { data } = (await at('/boxes?limit=10')).body
    const shown = data.map(({ id: _, ...rest }: { id: string }) => rest)
    const third = { ...empty, sizes: [2], prices: ['2.00'], keys: null, colors: ['RED'] }
    assert.deepEqual(shown.slice(-3), [full, empty, third])
    const made = await make('/boxes', { prices: [1, '2.5'], moments: ['2026-01-31T13:00:00+01:00'] })
    assert.deepEqual([made.body.prices, made.body.colors, made.body.keys], [['1.00', '2.50'], ['RED'], null])
    assert.deepEqual(made.body.moments, ['2026-01-31T12:00:00.000Z'])
    await own.ask('PATCH', `/api/v1/boxes/${made.body.id}`, { body: { prices: [], moments: [], colors: ['RED'] } })
  })

  const refusals: readonly [body: object, error: string][] = [
    [{ sizes: 'x' }, 'sizes must be a list'],
    [{ sizes: [1, -1] }, 'sizes[1] must be at least 0'],
    [{ sizes: ['1'] }, 'sizes[0] must be an integer'],
    [{ sizes: [1, 2, 3, 4] }, 'sizes must have at most 3 items'],
    [{ sizes: [null] }, 'sizes[0] must have no null among its items'],
    [{ names: [1] }, 'names must be a list of strings'],
    [{ prices: ['1.005'] }, 'prices[0] must have at most 2 decimals'],
    [{ days: ['2026-02-30'] }, 'days[0] must be a date of the calendar: 2026-02 has 28 days'],
    [{ readings: [1, '1.5'] }, 'readings[1] must be a number'],
    [{ readings: [1.1e300] }, 'readings[0] must be at most 1e+300'],
    [{ colors: ['BLUE'] }, 'colors[0] must be one of RED, GREEN, light blue'],
    [{ sizes: [[1]] }, 'sizes[0] must be an integer'],
  ]
  for (const [body, error] of refusals)
    it(`refuse ${JSON.stringify(body)}`, async () => {
      const { status, body: answer } = await make('/boxes', body)
      assert.deepEqual([status, answer.error], [400, error])
    })
  it('refuse a million items', async () => {
    const raw = `{"flags":[${'true,'.repeat(1_000_000)}true]}`
    const { status } = await own.ask('POST', '/api/v1/boxes', { raw, type: 'application/json' })
    assert.ok(status === 413 || status === 400, String(status))
  })

  it('have fractions of all sizes, found by their exact value', async () => {
    const fractions = Array.from({ length: 500 }, (_, i) => {
      const size = 10 ** ((i % 100) - 50)
      return Math.sin(i + 1) * size * (i % 3 === 0 ? 1e200 : 1)
    })
    const [{ id: one }] = (await at('/boxes?sizes=2')).body.data
    const set = (readings: readonly number[]) => own.ask('PATCH', `/api/v1/boxes/${one}`, { body: { readings } })
    assert.deepEqual((await set(fractions)).body.readings, fractions)
    assert.deepEqual((await at(`/boxes/${one}`)).body.readings, fractions)
    const lacking: number[] = []
    for (const fraction of fractions) {
      const { status, body, text } = await at(`/boxes?readings[contains]=${encodeURIComponent(fraction)}`)
      assert.equal(status, 200, text)
      if (body.data.length !== 1) lacking.push(fraction)
    }
    assert.deepEqual(lacking, [])
    const near = encodeURIComponent(String((fractions[7] as number) * (1 + 2 ** -52)))
    assert.deepEqual((await at(`/boxes?readings[contains]=${near}`)).body.data, [])
    await set([])
  })

  const found = async (query: string) => {
    const { status, body } = await at(`/boxes?limit=10&${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map(({ sizes }: { sizes: number[] }) => sizes[0] ?? 0).toSorted()
  }
  const filters: readonly [query: string, sizes: number[]][] = [
    ['sizes=1', [1]],
    ['sizes=2', [2]],
    ['sizes[contains]=20', [1]],
    ['sizes[overlaps]=20,2', [1, 2]],
    ['sizes[in]=3,2', [2]],
    ['sizes[empty]=true', [0, 0]],
    ['sizes[empty]=false', [1, 2]],
    ['keys[empty]=true', [0, 0, 2]],
    ['keys[empty]=false', [1]],
    ['keys[null]=true', [0, 2]],
    [`keys=${key}`, [1]],
    ['prices[overlaps]=1,2.0', [1, 2]],
    ['prices=-0.5', [1]],
    ['costs=19.99', [1]],
    ['costs=20', []],
    ['numbers=9007199254740993', [1]],
    ['numbers=9007199254740992', []],
    ['flags=true', [1]],
    ['flags=false', []],
    ['days=2026-01-31', [1]],
    ['times=12:30', [1]],
    ['moments=2026-01-31T13:00:00%2B01:00', [1]],
    ['colors=light blue', [1]],
    ['names=a', [1]],
    ['names=A', []],
    ['names=%27%22', []],
    ['old=x', [1]],
    [`filter=${JSON.stringify({ not: { sizes: { contains: 1 } } })}`, [0, 0, 2]],
    [`filter=${JSON.stringify({ not: { keys: { empty: true } } })}`, [1]],
    [`filter=${JSON.stringify({ prices: { overlaps: [1, '7'] } })}`, [1]],
    [`filter=${JSON.stringify({ flags: { contains: true } })}`, [1]],
  ]
  for (const [query, sizes] of filters)
    it(query, async () => assert.deepEqual(await found(query.replaceAll('{', '%7B')), sizes))
  it('refuse what no item is', async () => {
    assert.equal((await at('/boxes?sizes=x')).body.error, 'sizes must be an integer')
    assert.equal((await at('/boxes?prices=1.005')).body.error, 'prices must have at most 2 decimals')
    assert.equal((await at('/boxes?sizes[empty]=1')).body.error, 'sizes[empty] must be true or false')
    assert.match((await at('/boxes?old[empty]=true')).body.error, /old takes eq, in, contains and null/)
  })

  it('are lists of the scalar in GraphQL, with filters', async () => {
    const query =
      `{ boxes(filter: { prices: { overlaps: ["1"] }, colors: { contains: GREEN }, flags: { empty: false } }) { data { sizes prices shades flags days } } }`.replace(
        'colors: { contains: GREEN }, ',
        'shades: { contains: DARK }, ',
      )
    const { body } = await own.ask('POST', '/graphql', { body: { query } })
    const { sizes, prices, shades, flags, days } = full
    assert.deepEqual(body.data?.boxes.data, [{ sizes, prices, shades, flags, days }], JSON.stringify(body.errors))
    const mutation = `mutation { createBox(input: { prices: [1.50, "2"], shades: [LIGHT], sizes: [7] }) { prices shades sizes } }`
    const made = await own.ask('POST', '/graphql', { body: { query: mutation } })
    assert.deepEqual(made.body.data?.createBox, { prices: ['1.50', '2.00'], shades: ['LIGHT'], sizes: [7] })
  })

  it('are one cell of CSV', async () => {
    const resource = makeCatalog([boxes as never]).get('box')
    const names = Object.keys(full)
    const columns = { resource, fieldOf: (name: string) => resource.fields[name] }
    const csv = `${names.join()}\n${csvRows(resource, names, [full as never])}sizes,1;2\n`.replace(/sizes,1;2\n$/, '')
    const chunks = (text: string) => (async function* () { yield Buffer.from(text) })() // biome-ignore format: one line
    const [line] = await Array.fromAsync(csvLines(columns, chunks(csv)))
    assert.deepEqual(line?.parse(), full)
    const [typed] = await Array.fromAsync(csvLines(columns, chunks('sizes,prices,flags,names\n1;2,1.5; 2,true,a;b\n')))
    assert.deepEqual(typed?.parse(), { sizes: [1, 2], prices: ['1.50', '2.00'], flags: [true], names: ['a', 'b'] })
  })

  it('are compared in rules', async () => {
    const rows = [{ prices: [1] }, { prices: [2] }, { prices: [2], shades: ['DARK'] }, { shades: ['LIGHT'] }]
    for (const body of rows) assert.equal((await make('/lamps', body)).status, 201)
    const { body } = await at('/lamps?limit=10')
    assert.deepEqual(
      body.data
        .map(({ prices, shades }: { prices: string[]; shades: string[] }) => [...prices, ...shades].join())
        .toSorted(),
      ['1.00', '2.00,DARK', 'LIGHT'],
    )
  })
})

describe('the declaration of a list', () => {
  const mistakesOf = (field: Field) => [
    ...field.mistakes.map(({ problem }) => problem),
    ...[field.type.limitsMistake?.(field.limits) ?? []].flat(),
  ]
  it('names its mistakes', () => {
    const scalars = (name: string) => [`cannot be of ${name}(): its items are scalars or words`]
    assert.deepEqual(mistakesOf(list(textList()) as Field), scalars('textList'))
    assert.deepEqual(mistakesOf(list(id()) as Field), scalars('id'))
    assert.deepEqual(mistakesOf(list(integer({ default: 1 })) as Field), [
      '"default" means nothing for items: say it of the list',
    ])
    assert.deepEqual(mistakesOf(list(text({ readOnly: true })) as Field), [
      '"readOnly" means nothing for items: say it of the list',
    ])
    assert.deepEqual(mistakesOf(list(integer({ min: 5, max: 1 })) as Field), ['min (5) is above max (1)'])
    assert.deepEqual(mistakesOf(list(integer(), { max: 10_001 }) as Field), [
      'max (10001) is above 10000: more are records of a resource of their own',
    ])
    assert.deepEqual(mistakesOf(list('x' as never) as Field), ['takes the field of an item first: list(text())'])
  })
})
