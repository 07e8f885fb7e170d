/** The values that dates and times of day take, and the one form in which they are stored. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { date, dayIn, time } from '../../src/index.ts'
import { stored, table } from './field-tables.ts'

const run = promisify(execFile)

describe('date', () => {
  table('check', [
    [date(), '0000-02-29', '0000-02-29'],
    [date(), '2000-02-29', '2000-02-29'],
    [date(), '9999-12-31', '9999-12-31'],
    [date({ min: '2026-01-31', max: '2026-01-31' }), '2026-01-31', '2026-01-31'],
    [date(), ' 2026-01-31', '!x must be a date such as 2026-01-31'],
    [date(), null, '!x must be a date such as 2026-01-31'],
  ])
  table('parse', [
    [date({ min: '2026-01-31' }), '1999-12-31', '1999-12-31'], // a filter may ask for any day
    [date(), '2026-02-29', '!x must be a date of the calendar: 2026-02 has 28 days'],
  ])
  stored([
    [date(), '2026-01-31'],
    [date(), '2026-01-31T00:00:00.000Z', 'must be a date such as 2026-01-31'],
    [date({ max: '2026-01-30' }), '2026-01-31', 'must be 2026-01-30 or earlier'],
  ])
  it('refuses limits that are no dates, or in the wrong order', () => {
    const [mistake] = date({ min: '2026-02-30' }).mistakes
    assert.equal(mistake?.problem, 'must be a date such as 2026-01-31, and is "2026-02-30"')
    const { type, limits } = date({ min: '2026-01-02', max: '2026-01-01' })
    assert.equal(type.limitsMistake?.(limits), 'min (2026-01-02) is above max (2026-01-01)')
  })
  it('of a moment is the day in a zone', () => {
    for (const [zone, moment, day] of [
      ['UTC', '2026-12-31T23:59:59.999Z', '2026-12-31'],
      ['Europe/Berlin', '2026-12-31T23:00:00.000Z', '2027-01-01'],
      ['Asia/Kathmandu', '2026-01-01T18:14:59.999Z', '2026-01-01'],
      ['Asia/Kathmandu', '2026-01-01T18:15:00.000Z', '2026-01-02'],
      ['America/New_York', '2026-01-01T04:59:00.000Z', '2025-12-31'],
    ] as const)
      assert.equal(dayIn(zone, moment), day)
    assert.throws(() => dayIn('Europe/Bern', '2026-01-01T00:00:00.000Z'), RangeError)
  })
})

describe('time', () => {
  table('check', [
    [time(), '12:30', '12:30:00'],
    [time(), '12:30:00', '12:30:00'],
    [time(), '12:30:00.000', '12:30:00'],
    [time(), '12:30:00.5', '12:30:00.500'],
    [time(), '12:30:00.010000', '12:30:00.010'],
    [time(), '23:59:59.999', '23:59:59.999'],
    [time(), null, '!x must be a time such as 12:30:00'],
  ])
  table('parse', [
    [time({ min: '08:00:00' }), '07:00', '07:00:00'],
    [time(), '12:30:00.0005', '12:30:00.0005'], // between two milliseconds: it equals none
  ])
  stored([
    [time(), '12:30:00'],
    [time(), '12:30:00.500'],
    [time(), '12:30', 'is stored as 12:30:00'],
    [time(), '12:30:00.5', 'is stored as 12:30:00.500'],
  ])
  it('has texts in the order of time', () => {
    const times = ['00:00:00', '00:00:00.001', '00:00:00.0015', '00:00:00.010', '00:00:00.500', '00:00:01', '12:30:00']
    assert.deepEqual(times.toReversed().sort(), times)
  })
})

const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'],
  ...['Pacific/Apia', 'Pacific/Kiritimati', 'America/St_Johns', 'Africa/Monrovia', 'Asia/Gaza'],
]

/** Takes every day of 1900 to 2100 through the doors of a date, and prints a hash of the texts. */
const everyDay = `
import { createHash } from 'node:crypto'
import { date } from ${JSON.stringify(new URL('../../src/resource/fields/times/date.ts', import.meta.url).href)}
const field = date({ min: '1900-01-01', max: '2100-12-31' })
const { type } = field
const hash = createHash('sha256')
let days = 0
for (let ms = Date.UTC(1900, 0, 1); ms <= Date.UTC(2100, 11, 31); ms += 86400000) {
  const day = new Date(ms).toISOString().slice(0, 10)
  const kept = type.check(day, 'x', field)
  type.checkStored(kept, 'x', field)
  hash.update([kept, type.parse(day, 'x', field), type.parseCell(day, 'x', field)].join())
  hash.update(type.inTime.at(new Date(ms).toISOString()))
  days += 1
}
console.log(days, hash.digest('hex'))
`

it('every day of 1900 to 2100 is the same text in processes of ten time zones', async () => {
  const printed = await Promise.all(
    zones.map(async (zone) => {
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', everyDay], {
        env: { ...process.env, TZ: zone },
      })
      return stdout
    }),
  )
  assert.match(printed[0] as string, /^73414 [0-9a-f]{64}\n$/)
  assert.deepEqual(new Set(printed).size, 1)
})
