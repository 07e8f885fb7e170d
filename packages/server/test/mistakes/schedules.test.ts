/** Wrong schedules: the start refuses each with its file and what was meant. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyone, defineResource, defineSchedule, id } from '../../src/index.ts'
import { loosely, mistakesOf, thing } from './declaring.ts'

const run = () => undefined
const schedule = (declaration: object) =>
  loosely(defineSchedule, { name: 'nightly', cron: '0 3 * * *', run, ...declaration })
const place = 'defineSchedule("nightly"): '

const rows: readonly (readonly [mistake: string, part: unknown, says: string])[] = [
  ['no expression', schedule({ cron: undefined }), 'needs cron'],
  ['no work', schedule({ run: undefined }), 'needs run'],
  ['an unknown member', schedule({ timezone: 'UTC' }), 'no member "timezone"'],
  ['no expression of cron', schedule({ cron: 'daily' }), 'cron: "daily" has one part: there are five,'],
  ['a minute that is none', schedule({ cron: '75 * * * *' }), 'cron: "75 * * * *": Invalid value for minute: 75'],
  ['a day that never comes', schedule({ cron: '0 0 31 2 *' }), 'cron: "0 0 31 2 *" never comes'],
  [
    'a zone that is none',
    schedule({ zone: 'Europe/Bonn' }),
    'zone: must be a time zone such as Europe/Berlin, and is "Europe/Bonn"',
  ],
  [
    'a rule about missed moments',
    schedule({ missed: 'never' }),
    'missed: cannot be "never"; there are once, skip, all',
  ],
  ['retries', schedule({ retries: { tries: 0 } }), 'retries.tries: must be a whole number from 1'],
  ['a time limit', schedule({ timeoutSeconds: 0 }), 'timeoutSeconds: must be a whole number from 1'],
  [
    'a time limit that no timer lasts for',
    schedule({ timeoutSeconds: 1e9 }),
    'timeoutSeconds: must be a whole number from 1 to 2147483, and is 1000000000',
  ],
]

describe('schedules', () => {
  for (const [mistake, part, says] of rows)
    it(mistake, () => {
      const [line = ''] = mistakesOf([thing(), part])
      assert.ok(line.startsWith(`${place}${says}`), `${line}\n${place}${says}`)
    })

  it('names: none, of the engine, taken, and that of an effect', () => {
    const named = (name: unknown) => mistakesOf([thing(), schedule({ name })])[0] ?? ''
    assert.match(named('_nightly'), /name: names that begin with _ are the engine's/)
    assert.match(named('each night'), /name: a name is camelCase/)
    assert.match(named(undefined), /name/)
    assert.match(mistakesOf([thing(), schedule({}), schedule({})])[0] ?? '', /has a schedule of this name already/)
    const twin = defineResource({
      name: 'schedule',
      path: '/schedules',
      fields: { id: id() },
      access: { create: anyone },
      effects: { nightly: { on: ['create'], run } },
    })
    assert.match(mistakesOf([twin, schedule({})])[0] ?? '', /name: the resource "schedule" has an effect nightly/)
  })

  it('right ones are no mistakes', () => {
    const right = defineSchedule({ name: 'often', cron: '*/5 * * * * *', zone: 'Asia/Kathmandu', missed: 'all', run })
    assert.deepEqual(mistakesOf([thing(), schedule({}), right]), [])
  })
})
