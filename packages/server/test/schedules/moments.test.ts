/**
 * The moments of cron expressions over changes of daylight saving time, against an independent
 * count of local times. After a pause, some of them are due.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CronMoments, readCron } from '../../src/resource/schedules/cron-moments.ts'
import { dueMoments, type MissedRule } from '../../src/resource/schedules/due-moments.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

function momentsOf(expression: string, zone: string): CronMoments {
  const read = readCron(expression, zone)
  assert.ok('moments' in read, JSON.stringify(read))
  return read.moments
}

const textOf = (ms: number) => new Date(ms).toISOString().replace(':00.000Z', 'Z')

function forward(moments: CronMoments, from: string, until: string): string[] {
  const found: number[] = []
  for (let ms = moments.after(Date.parse(from) - 1); ms !== undefined && ms < Date.parse(until); ms = moments.after(ms))
    found.push(ms)
  return found.map(textOf)
}

type LocalMinute = { readonly ms: number; readonly day: string; readonly hour: number; readonly minute: number }

/** Every minute of real time, as the clocks of the zone show it. */
function minutesOf(zone: string, from: string, until: string): LocalMinute[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  const found: LocalMinute[] = []
  for (let ms = Date.parse(from); ms < Date.parse(until); ms += minuteMs) {
    const [day = '', time = ''] = format.format(ms).split(' ')
    const [hour, minute] = time.split(':').map(Number) as [number, number]
    found.push({ ms, day, hour, minute })
  }
  return found
}

const inDay = ({ hour, minute }: Pick<LocalMinute, 'hour' | 'minute'>) => hour * 60 + minute

/** Named local times: each once on each day; one that the clocks skip at the end of the gap. */
function namedTimes(all: readonly LocalMinute[], times: readonly string[]): string[] {
  const found = new Set<number>()
  for (const [day, minutes] of Map.groupBy(all, (one) => one.day))
    for (const time of times) {
      const [hour, minute] = time.split(':').map(Number) as [number, number]
      const wanted = inDay({ hour, minute })
      const first = minutes.find((one) => inDay(one) === wanted) ?? minutes.find((one) => inDay(one) > wanted)
      assert.ok(first, `${day} ${time}`)
      found.add(first.ms)
    }
  return [...found].toSorted((a, b) => a - b).map(textOf)
}

/** Changes of 2026: Berlin and New York by an hour, Lord Howe by half an hour the other way. */
const changes = [
  ['Europe/Berlin', '2026-03-27T23:00Z', '2026-03-30T22:00Z'],
  ['Europe/Berlin', '2026-10-23T22:00Z', '2026-10-26T23:00Z'],
  ['America/New_York', '2026-03-07T05:00Z', '2026-03-10T04:00Z'],
  ['America/New_York', '2026-10-31T04:00Z', '2026-11-03T05:00Z'],
  ['Australia/Lord_Howe', '2026-04-03T13:00Z', '2026-04-06T13:30Z'],
  ['Australia/Lord_Howe', '2026-10-02T13:30Z', '2026-10-05T13:00Z'],
] as const

const named: readonly (readonly [expression: string, times: readonly string[]])[] = [
  ['0 3 * * *', ['3:00']],
  ['30 2 * * *', ['2:30']],
  ['15 2 * * *', ['2:15']],
  ['45 1 * * *', ['1:45']],
  ['0 1-3 * * *', ['1:00', '2:00', '3:00']],
  ['10,40 1,2 * * *', ['1:10', '1:40', '2:10', '2:40']],
]

for (const [zone, from, until] of changes)
  test(`over the change of ${from.slice(0, 7)} in ${zone}`, () => {
    const minutes = minutesOf(zone, from, until)
    const offsets = new Set(
      minutes.map(({ ms, day, hour, minute }) => Date.parse(`${day}T00:00Z`) + inDay({ hour, minute }) * minuteMs - ms),
    )
    assert.equal(offsets.size, 2)
    for (const [expression, times] of named)
      assert.deepEqual(forward(momentsOf(expression, zone), from, until), namedTimes(minutes, times), expression)
    const intervals: readonly (readonly [string, (one: LocalMinute) => boolean])[] = [
      ['30 * * * *', ({ minute }) => minute === 30],
      ['*/15 * * * *', ({ minute }) => minute % 15 === 0],
      ['*/20 2 * * *', ({ hour, minute }) => hour === 2 && minute % 20 === 0],
    ]
    for (const [expression, matches] of intervals) {
      const expected = minutes.filter(matches).map(({ ms }) => textOf(ms))
      assert.deepEqual(forward(momentsOf(expression, zone), from, until), expected, expression)
    }
  })

test('the times of one day, as people wrote them down', () => {
  const berlin = momentsOf('30 2 * * *', 'Europe/Berlin')
  assert.deepEqual(forward(berlin, '2026-03-28T12:00Z', '2026-03-30T12:00Z'), [
    '2026-03-29T01:00Z',
    '2026-03-30T00:30Z',
  ])
  assert.deepEqual(forward(berlin, '2026-10-24T12:00Z', '2026-10-26T12:00Z'), [
    '2026-10-25T00:30Z',
    '2026-10-26T01:30Z',
  ])
  const lordHowe = momentsOf('15 2 * * *', 'Australia/Lord_Howe')
  assert.deepEqual(forward(lordHowe, '2026-10-03T12:00Z', '2026-10-04T18:00Z'), [
    '2026-10-03T15:30Z',
    '2026-10-04T15:15Z',
  ])
})

test('the moments of a span are those found one after another, whichever way the span is cut', () => {
  for (const [zone, from, until] of changes)
    for (const expression of ['30 2 * * *', '*/20 * * * *', '0 1-3 * * 0', '15 30 1 * * *']) {
      const moments = momentsOf(expression, zone)
      const all: number[] = []
      const untilMs = Date.parse(until) - 1
      for (let ms = moments.after(Date.parse(from) - 1); ms !== undefined && ms <= untilMs; ms = moments.after(ms))
        all.push(ms)
      const spans: number[] = []
      for (let ms = Date.parse(from) - 1; ms < untilMs; ms += 7 * 60 * minuteMs + 1_234)
        spans.push(...moments.between(ms, Math.min(ms + 7 * 60 * minuteMs + 1_234, untilMs), 1_000).toReversed())
      assert.deepEqual(spans, all, `${expression} ${zone}`)
    }
})

test('mistakes in expressions', () => {
  const mistakes: readonly (readonly [string, RegExp])[] = [
    ['3', /has one part: there are five/],
    ['* * * *', /has 4 parts/],
    ['* * * * * * *', /has 7 parts/],
    ['@daily', /has one part/],
    ['2030-01-01T00:00:00', /has one part/],
    ['61 * * * *', /"61 \* \* \* \*": Invalid value for minute: 61/],
    ['0 0 * * 8', /Invalid value for dayOfWeek: 8/],
    ['0 0 30 2 *', /never comes/],
    ['? * * * *', /has "\?", which depends on the start/],
    ['5/5 * * * *', /stepping/],
    ['0 three * * *', /three/i],
  ]
  for (const [expression, says] of mistakes) {
    const read = readCron(expression, 'UTC')
    assert.ok('mistake' in read, expression)
    assert.match(read.mistake, says)
    assert.doesNotMatch(read.mistake, /CronPattern/)
  }
})

test('which moments are due', () => {
  const at = (text: string) => Date.parse(`2026-06-01T${text}Z`)
  const everyMinute = momentsOf('* * * * *', 'UTC')
  const due = (rule: MissedRule, since: string, now: string) => {
    const { runs, missed, isMore } = dueMoments(everyMinute, { rule, sinceMs: at(since), nowMs: at(now) })
    assert.equal(isMore, false)
    return { runs: runs.map(({ atMs, missed: madeUp }) => [textOf(atMs).slice(11, 16), madeUp]), missed }
  }
  for (const rule of ['once', 'skip', 'all'] as const) {
    assert.deepEqual(due(rule, '12:00:00.000', '12:00:59.999'), { runs: [], missed: 0 })
    assert.deepEqual(due(rule, '12:00:00.000', '12:01:00.000'), { runs: [['12:01', 0]], missed: 0 })
    assert.deepEqual(due(rule, '12:00:30.000', '12:01:59.999'), { runs: [['12:01', 0]], missed: 0 })
  }
  const pause = ['12:00:30', '12:10:30'] as const
  assert.deepEqual(due('once', ...pause), { runs: [['12:10', 9]], missed: 9 })
  assert.deepEqual(due('skip', ...pause), { runs: [['12:10', 0]], missed: 9 })
  const all = ['12:01', '12:02', '12:03', '12:04', '12:05', '12:06', '12:07', '12:08', '12:09', '12:10']
  assert.deepEqual(due('all', ...pause), { runs: all.map((time) => [time, 0]), missed: 9 })
})

test('a late moment is missed, and of very many the latest are made up for', () => {
  const nightly = momentsOf('0 3 * * *', 'UTC')
  const sinceMs = Date.parse('2026-06-01T03:00:00Z')
  const due = (rule: MissedRule, nowMs: number) => dueMoments(nightly, { rule, sinceMs, nowMs })
  const soonMs = sinceMs + dayMs + minuteMs
  assert.deepEqual(due('skip', soonMs).runs, [{ atMs: sinceMs + dayMs, missed: 0 }])
  assert.deepEqual(due('skip', soonMs + 1), { runs: [], isOnTime: false, missed: 1, isMore: false })
  assert.deepEqual(due('once', soonMs + 1).runs, [{ atMs: sinceMs + dayMs, missed: 0 }])
  const years = due('all', sinceMs + 1_500 * dayMs + 2 * minuteMs)
  assert.equal(years.runs.length, 1_000)
  assert.equal(years.isMore, true)
  assert.equal(years.missed, 1_000)
  assert.equal(years.runs.at(-1)?.atMs, sinceMs + 1_500 * dayMs)
  assert.equal(years.runs[0]?.atMs, sinceMs + 501 * dayMs)
})
