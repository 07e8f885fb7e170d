/** Dates and times of day through every door: the same text goes in and comes out. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from 'bindery-server/test'
import { anyone, date, defineResource, field, id, now, text, time, where } from '../../src/index.ts'

const matches = defineResource({
  name: 'match',
  plural: 'matches',
  path: '/matches',
  fields: {
    id: id(),
    name: text({ required: true, unique: true }),
    playedOn: date({ required: true, min: '1900-01-01' }),
    endsOn: date(),
    enteredOn: date({ default: ({ now }) => now.slice(0, 10) }),
    kickOff: time(),
  },
  list: { style: 'page', sortable: ['playedOn', 'kickOff', 'name'], defaultSort: 'playedOn', bulk: true },
  upsert: ['name'],
  access: {
    ...{ list: anyone, get: anyone, create: anyone, replace: anyone, import: anyone, export: anyone },
    update: where({ playedOn: { gte: now() } }),
    delete: where({ endsOn: { gte: field('playedOn') } }),
  },
})

const at = '/api/v1/matches'
let service: TestService
before(async () => {
  service = await startService([matches])
  for (const [name, playedOn, kickOff] of [
    ['a', '2026-01-31', '12:30'],
    ['b', '2024-02-29', '12:30:00.5'],
    ['c', '1900-01-01', null],
    ['d', '2026-01-31', '09:00:00'],
    ['e', '9999-12-31', '23:59:59.999'],
  ] as const) {
    const made = await service.ask('POST', at, { body: { name, playedOn, kickOff } })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(made.body.enteredOn, new Date(service.now()).toISOString().slice(0, 10))
  }
})
after(() => service.stop())

const names = async (query: string): Promise<string> => {
  const { status, body, text: sent } = await service.ask('GET', `${at}?${query}`)
  assert.equal(status, 200, sent)
  return body.data.map(({ name }: { name: string }) => name).join('')
}

test('filters, sorts and cursors follow the order of time', async () => {
  for (const [query, found] of [
    ['sort=playedOn,name', 'cbade'],
    ['sort=-playedOn,name', 'eadbc'],
    ['playedOn=2026-01-31&sort=kickOff', 'da'],
    ['playedOn[lt]=2026-01-31&sort=name', 'bc'],
    ['playedOn[gte]=2024-02-29&playedOn[lte]=2026-01-31&sort=name', 'abd'],
    ['playedOn[in]=1900-01-01,9999-12-31&sort=name', 'ce'],
    ['kickOff[gte]=12:30&sort=kickOff', 'abe'],
    ['kickOff=12:30:00.500', 'b'],
    ['kickOff[gt]=12:30:00.4999&sort=kickOff', 'be'],
    ['kickOff[null]=true', 'c'],
    [`filter=${encodeURIComponent('{"playedOn":{"ne":"2026-01-31"},"kickOff":{"null":false}}')}&sort=name`, 'be'],
  ] as const)
    assert.equal(await names(query), found, query)
  const pages: string[] = []
  for (let next = `${at}?sort=-playedOn&limit=2&cursor=`; next; ) {
    const { body } = await service.ask('GET', next)
    pages.push(...body.data.map(({ name }: { name: string }) => name))
    next = body.meta.nextCursor ? `${at}?sort=-playedOn&limit=2&cursor=${body.meta.nextCursor}` : ''
  }
  assert.deepEqual(pages.toSorted().join(''), 'abcde')
  for (const [query, error] of [
    ['playedOn=2026-02-30', 'playedOn must be a date of the calendar: 2026-02 has 28 days'],
    ['playedOn[gt]=yesterday', 'playedOn[gt] must be a date such as 2026-01-31'],
    ['kickOff=12:30:00Z', 'kickOff must be a time without an offset, such as 12:30:00'],
  ] as const) {
    const { status, body } = await service.ask('GET', `${at}?${query}`)
    assert.deepEqual([status, body.error], [400, error])
  }
})

test('summaries group by days and times, and have the least and the most', async () => {
  const { body } = await service.ask('GET', `${at}/summary?group=playedOn&least=kickOff&most=playedOn&sort=playedOn`)
  assert.deepEqual(
    body.data.map((row: { playedOn: string; count: number; least: { kickOff: string } }) => [
      row.playedOn,
      row.count,
      row.least.kickOff,
    ]),
    [
      ['1900-01-01', 1, null],
      ['2024-02-29', 1, '12:30:00.500'],
      ['2026-01-31', 2, '09:00:00'],
      ['9999-12-31', 1, '23:59:59.999'],
    ],
  )
  assert.equal(body.data[3].most.playedOn, '9999-12-31')
})

test('a day that does not exist is refused by every door that writes', async () => {
  const error = 'playedOn must be a date of the calendar: 2026-02 has 28 days'
  const body = { name: 'x', playedOn: '2026-02-30' }
  const { body: list } = await service.ask('GET', `${at}?name=e`)
  const [{ id: last }] = list.data
  for (const [method, path] of [
    ['POST', at],
    ['PUT', `${at}/${last}`],
    ['PUT', `${at}?on=name`],
    ['PATCH', `${at}/${last}`],
    ['PATCH', `${at}?name=e&limit=1`],
  ] as const) {
    const reply = await service.ask(method, path, { body })
    assert.deepEqual([reply.status, reply.body.error], [400, error], `${method} ${path}`)
  }
  const line = await service.ask('POST', `${at}/import`, { raw: JSON.stringify(body), type: 'application/x-ndjson' })
  assert.match(line.text, /2026-02 has 28 days/)
  const query = 'mutation { createMatch(input: { name: "x", playedOn: "2026-02-30" }) { id } }'
  const graphql = await service.ask('POST', '/graphql', { body: { query } })
  assert.equal(graphql.body.errors[0].message, error)
  assert.equal((await names('sort=name')).length, 5)
})

test('GraphQL has the scalars Date and LocalTime', async () => {
  const query =
    'query ($on: Date, $at: LocalTime) { matches(filter: { playedOn: { eq: $on }, kickOff: { gt: $at } }) { data { playedOn kickOff } } }'
  const { body } = await service.ask('POST', '/graphql', {
    body: { query, variables: { on: '2026-01-31', at: '09:00' } },
  })
  assert.deepEqual(body.data?.matches.data, [{ playedOn: '2026-01-31', kickOff: '12:30:00' }], JSON.stringify(body))
})

test('the document has the formats', async () => {
  const { body } = await service.ask('GET', '/openapi.json')
  const { MatchPlayedOn, MatchKickOff } = body.components.schemas
  assert.deepEqual([MatchPlayedOn.type, MatchPlayedOn.format], ['string', 'date'])
  assert.match(MatchPlayedOn.description, /1900-01-01 or later/)
  for (const shown of ['12:30', '12:30:00', '12:30:00.500']) assert.match(shown, new RegExp(MatchKickOff.pattern))
})

test('what is exported is imported again', async () => {
  const lines = async () =>
    (await service.ask('GET', `${at}/export`)).text
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one))
  const shown = ({ name, playedOn, kickOff }: Record<string, string>) => `${name} ${playedOn} ${kickOff}`
  const given = await lines()
  const raw = given
    .map(({ name, playedOn, kickOff }) => JSON.stringify({ name: `${name}2`, playedOn, kickOff }))
    .join('\n')
  const reply = await service.ask('POST', `${at}/import`, { raw, type: 'application/x-ndjson' })
  assert.equal(reply.body.created, given.length, reply.text)
  const made = (await lines()).filter(({ name }) => name.endsWith('2'))
  assert.deepEqual(made.map(shown).toSorted(), given.map((one) => shown(one).replace(' ', '2 ')).toSorted())
})

test('now() is the day in UTC, and other fields of days are compared as days', async () => {
  const today = new Date(service.now()).toISOString().slice(0, 10)
  const make = async (name: string, playedOn: string, endsOn: string | null = null) =>
    (await service.ask('POST', at, { body: { name, playedOn, endsOn } })).body.id as string
  const change = async (one: string) =>
    (await service.ask('PATCH', `${at}/${one}`, { body: { kickOff: '10:00' } })).status
  const yesterday = new Date(service.now() - 86_400_000).toISOString().slice(0, 10)
  assert.equal(await change(await make('today', today)), 200)
  assert.equal(await change(await make('yesterday', yesterday)), 403)
  const drop = async (one: string) => (await service.ask('DELETE', `${at}/${one}`)).status
  assert.equal(await drop(await make('long', yesterday, today)), 204)
  assert.equal(await drop(await make('back', today, yesterday)), 403)
})
