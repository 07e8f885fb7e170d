/**
 * Summaries by hour, day, week, month, quarter and year, of times in a zone and of dates. The same
 * groups are made here by Intl, one record at a time.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from 'bindery-server/test'
import { anyone, date, defineResource, id, integer, text, time, timestamp } from '../../src/index.ts'

const events = defineResource({
  name: 'event',
  path: '/events',
  fields: { id: id(), tag: text({ required: true }), at: timestamp(), on: date(), open: time(), size: integer() },
  list: { style: 'page', sortable: ['at'], filterable: ['tag', 'at', 'on', 'open'], defaultSort: 'id' },
  access: { list: anyone, create: anyone, import: anyone },
})
const at = '/api/v1/events'

const zones = [
  ...['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns'],
  ...['Africa/Monrovia', 'Pacific/Apia', 'Asia/Gaza', 'Africa/Casablanca', 'Europe/Dublin'],
]
const units = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const

/** Both days of a change in several zones, mean times with seconds, a skipped day, far years. */
const changes = [
  ...['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z', '2026-03-08T07:00:00Z', '2026-11-01T06:00:00Z'],
  ...['2026-04-04T15:00:00Z', '2026-10-03T15:30:00Z', '2011-12-30T10:00:00Z', '1893-03-31T23:06:32Z'],
  ...['1985-12-31T18:30:00Z', '1972-01-07T00:44:30Z', '2040-10-20T00:00:00Z', '2040-10-26T23:00:00Z'],
  ...['1969-12-31T23:59:59.999Z', '2024-12-30T00:00:00Z', '2027-01-03T23:59:59.999Z', '1850-06-01T00:00:00Z'],
]
const around = [-86_400_000, -3_600_000, -1, 0, 1_800_000, 3_600_000, 7_200_000, 86_400_000]
const moments = changes.flatMap((one) => around.map((ms) => new Date(Date.parse(one) + ms).toISOString()))

let service: TestService
before(async () => {
  service = await startService([events])
  const lines = moments.map((one) => ({ tag: 'moment', at: one, on: one.slice(0, 10), open: one.slice(11, 23) }))
  await importAll([...lines, { tag: 'moment' }])
})
after(() => service.stop())

async function importAll(lines: readonly object[]) {
  const raw = lines.map((one) => JSON.stringify(one)).join('\n')
  const reply = await service.ask('POST', `${at}/import`, { raw, type: 'application/x-ndjson' })
  assert.equal(reply.body.created, lines.length, reply.text)
}

/** `2026-01-31T12:30:00` there. */
function localIn(zone: string, moment: string): string {
  const format = new Intl.DateTimeFormat('sv', {
    timeZone: zone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  })
  return format.format(new Date(moment)).replace(' ', 'T')
}

/** ISO 8601: the week of its Thursday. */
function weekOf(day: string): string {
  const one = new Date(`${day}T00:00:00Z`)
  one.setUTCDate(one.getUTCDate() + 4 - (one.getUTCDay() || 7))
  const days = (one.getTime() - Date.UTC(one.getUTCFullYear(), 0, 1)) / 86_400_000
  return `${one.getUTCFullYear()}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}`
}

function partOf(local: string, unit: (typeof units)[number]): string {
  switch (unit) {
    case 'week':
      return weekOf(local.slice(0, 10))
    case 'quarter':
      return `${local.slice(0, 4)}-Q${Math.ceil(Number(local.slice(5, 7)) / 3)}`
    default:
      return local.slice(0, { hour: 13, day: 10, month: 7, year: 4 }[unit])
  }
}

function countsOf(parts: readonly string[]): [string | null, number][] {
  const counts = new Map<string | null, number>([[null, 1]])
  for (const part of parts.toSorted()) counts.set(part, (counts.get(part) ?? 0) + 1)
  return [...counts]
}

async function grouped(group: string, more = ''): Promise<[string | null, number][]> {
  const { status, body, text: sent } = await service.ask('GET', `${at}/summary?tag=moment&group=${group}${more}`)
  assert.equal(status, 200, sent)
  return body.data.map((row: Record<string, unknown>) => [row[group], row.count])
}

test('times are grouped by each unit in UTC and in each zone', async () => {
  for (const unit of units) {
    const parts = (zone: string) => moments.map((one) => partOf(localIn(zone, one), unit))
    assert.deepEqual(await grouped(`at.${unit}`), countsOf(parts('UTC')), unit)
    for (const zone of zones)
      assert.deepEqual(await grouped(`at.${unit}`, `&_tz=${zone}`), countsOf(parts(zone)), `${zone} ${unit}`)
  }
})

test('dates have no zone, and a time of day has its hour', async () => {
  const days = moments.map((one) => one.slice(0, 10))
  for (const unit of units.slice(1))
    for (const zone of ['', '&_tz=Asia/Kathmandu'])
      assert.deepEqual(await grouped(`on.${unit}`, zone), countsOf(days.map((one) => partOf(one, unit))), unit)
  assert.deepEqual(await grouped('on'), countsOf(days))
  assert.deepEqual(await grouped('open.hour'), countsOf(moments.map((one) => one.slice(11, 13))))
})

test('two groups of one zone, with measures, in the order of their names', async () => {
  const { body } = await service.ask(
    'GET',
    `${at}/summary?group=at.quarter,at.week&at[gte]=2026-10-24&least=at&_tz=Europe/Berlin&sort=-at.week&limit=2`,
  )
  assert.deepEqual(body.data, [
    { 'at.quarter': '2040-Q4', 'at.week': '2040-W43', count: 8, least: { at: '2040-10-25T23:00:00.000Z' } },
    { 'at.quarter': '2040-Q4', 'at.week': '2040-W42', count: 8, least: { at: '2040-10-19T00:00:00.000Z' } },
  ])
})

test('the first and the last years are years of four digits', async () => {
  const far = ['0000-01-01T00:00:00.000Z', '0000-01-03T00:00:00.000Z', '0000-12-31T23:59:59.999Z']
  const end = ['9999-12-30T23:30:00.000Z', '9999-12-31T23:59:59.999Z']
  await importAll([...far, ...end].map((one) => ({ tag: 'far', at: one, on: one.slice(0, 10) })))
  const parts = async (group: string, zone = '') => {
    const { body } = await service.ask('GET', `${at}/summary?tag=far&group=${group}${zone}`)
    return body.data.map((row: Record<string, unknown>) => `${row[group]} ${row.count}`)
  }
  for (const field of ['at', 'on']) {
    assert.deepEqual(await parts(`${field}.week`), ['-0001-W52 1', '0000-W01 1', '0000-W52 1', '9999-W52 2'])
    assert.deepEqual(await parts(`${field}.quarter`), ['0000-Q1 2', '0000-Q4 1', '9999-Q4 2'])
  }
  const zone = '&_tz=Europe/Berlin'
  assert.deepEqual(await parts('at.year', zone), ['0000 2', '0001 1', '9999 2'])
  assert.deepEqual(await parts('at.day', zone), [...['0000-01-01 1', '0000-01-03 1', '0001-01-01 1', '9999-12-31 2']])
  assert.deepEqual(await parts('at.year', '&_tz=America/New_York'), ['0000 3', '9999 2'])
})

test('an unknown zone is 400 with the sentence, and a changed record changes a cached answer', async () => {
  for (const zone of ['Europe/Bern', '%2B01:00', '', 'x'.repeat(100)]) {
    const { status, body } = await service.ask('GET', `${at}/summary?group=at.day&_tz=${zone}`)
    assert.deepEqual([status, body.error], [400, '_tz must be the name of a time zone, such as Europe/Berlin'], zone)
  }
  const ask = async () => (await service.ask('GET', `${at}/summary?tag=new&group=at.day&_tz=Asia/Tokyo`)).body.data
  for (let i = 0; i < 4; i += 1) assert.deepEqual(await ask(), [])
  await service.ask('POST', at, { body: { tag: 'new', at: '2026-01-31T15:00:00Z' } })
  assert.deepEqual(await ask(), [{ 'at.day': '2026-02-01', count: 1 }])
})

test('GraphQL takes the zone as an argument, QUERY as a member', async () => {
  const query =
    '{ eventsSummary(groupBy: [at_hour], _tz: "Asia/Kathmandu", filter: { at: { gte: "2026-10-25T01:59:00Z", lt: "2026-10-25T02:01:00Z" } }) { at_hour count } }'
  const { body } = await service.ask('POST', '/graphql', { body: { query } })
  assert.deepEqual(body.data?.eventsSummary, [{ at_hour: '2026-10-25T07', count: 1 }], JSON.stringify(body))
  const asked = {
    group: 'at.hour',
    _tz: 'Asia/Kathmandu',
    'at[gte]': '2026-10-25T01:59:00Z',
    'at[lt]': '2026-10-25T02:01:00Z',
  }
  const sent = await service.ask('QUERY', `${at}/summary`, { body: asked })
  assert.deepEqual(sent.body.data, [{ 'at.hour': '2026-10-25T07', count: 1 }], sent.text)
})
