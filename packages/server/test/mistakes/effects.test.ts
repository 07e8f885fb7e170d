/** Mistakes in effects: their causes, their moments, their retries. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { after, before, changed, date, derived, latest, reference, text, timestamp } from '../../src/index.ts'
import { mistakesOf, part, thing } from './declaring.ts'

const run = () => undefined
const at = (moment: unknown) => ({ remind: { at: moment, run } })

const rows: readonly (readonly [effects: object, ...says: readonly string[]])[] = [
  [{ a: { on: ['create', changed('name')], run }, b: { at: before('startsAt', '24h'), run } }],
  [{ a: { at: after('day', '9h', { zone: 'Europe/Berlin' }), run, retries: { tries: 1 } } }],
  [{ a: { on: [changed('name', { from: 'a', to: 'b' }), changed('day', { to: '2026-01-31' })], run } }],
  [{ a: { on: [changed('name', { to: 7 })], run } }, 'thing: effects.a.on: "name" must be a string, and is 7'],
  [
    { a: { on: [changed('day', { from: 'May' })], run } },
    'thing: effects.a.on: "day" must be a date such as 2026-01-31, and is "May"',
  ],
  [{ a: { on: [changed('nam')], run } }, 'thing: effects.a.on: no field "nam"; did you mean "name"?'],
  [{ a: { on: [changed('age')], run } }, 'thing: effects.a.on: "age" is not stored'],
  [
    { a: { on: [changed('lastPart')], run } },
    'thing: effects.a.on: "lastPart" is counted from other records: name a field that writes set',
  ],
  [
    { a: { on: [changed('name', { from: 'a', to: 'a' })], run } },
    'thing: effects.a.on: changes "name" from "a" to the same value',
  ],
  [{ a: { run } }, 'thing: effects.a: needs one of on and at: the writes that cause it, or the moment when it is due'],
  [
    { a: { on: ['create'], at: before('startsAt', '1h'), run } },
    'thing: effects.a: needs one of on and at: the writes that cause it, or the moment when it is due',
  ],
  [at(before('startAt', '1h')), 'thing: effects.remind.at: no field "startAt"; did you mean "startsAt"?'],
  [at(before('name', '1h')), 'thing: effects.remind.at: "name" is no timestamp and no date'],
  [at(before('age', '1h')), 'thing: effects.remind.at: "age" is not stored'],
  [
    at(before('lastPart', '1h')),
    'thing: effects.remind.at: "lastPart" is counted from other records: name a field that writes set',
  ],
  [at(before('startsAt', '1.5h')), 'thing: effects.remind.at: "1.5h" is no span of time: write 90s, 30m, 24h or 7d'],
  [
    at(before('day', '1h', { zone: 'Europe/Berlinn' })),
    'thing: effects.remind.at: "Europe/Berlinn" is no time zone that Node knows, such as Europe/Berlin',
  ],
  [
    at(before('startsAt', '1h', { zone: 'Europe/Berlin' })),
    'thing: effects.remind.at: "startsAt" is a timestamp, which has no zone: only the day of a date begins in one',
  ],
  [
    { a: { on: ['create'], run, retries: { firstSeconds: 60, mostSeconds: 30 } } },
    'thing: effects.a.retries: waits 60 s first and 30 s at most: give a longer mostSeconds',
  ],
  [
    { a: { on: ['create'], run, retries: { tries: 0 } } },
    'thing: effects.a.retries.tries: must be a whole number from 1, and is 0',
  ],
]

it('every mistake in an effect is told with its place', () => {
  const fields = {
    startsAt: timestamp(),
    day: date(),
    age: derived(text(), () => ''),
    lastPart: latest('parts', 'madeAt'),
  }
  for (const [effects, ...says] of rows) {
    const parts = part({ fields: { thingId: reference('thing'), madeAt: timestamp({ setOn: 'create' }) } })
    assert.deepEqual(
      mistakesOf([thing({ fields, effects, children: { parts: { resource: 'part', by: 'thingId' } } }), parts]),
      says,
    )
  }
})
