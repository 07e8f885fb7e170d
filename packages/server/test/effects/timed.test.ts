/**
 * Effects that are due at a moment of their record: `before` and `after` a field. They move with
 * the field, and go and come with the record, on every path of a write.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, anyone, before, changed, date, defineResource, id, text, timestamp } from '../../src/index.ts'
import { dueAt } from '../../src/resource/effects/effect-moment.ts'
import { startService } from '../../src/testing/index.ts'

const [hour, day] = [3_600_000, 86_400_000]
const said: string[] = []

const meetings = defineResource({
  name: 'meeting',
  path: '/meetings',
  fields: {
    id: id(),
    name: text({ required: true, unique: true }),
    startsAt: timestamp(),
    endedAt: timestamp(),
  },
  list: { style: 'page', filterable: ['name'], bulk: true },
  trash: { days: 30 },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone, restore: anyone },
  effects: {
    remind: { at: before('startsAt', '24h'), run: ({ record: { name } }) => void said.push(`remind ${name}`) },
    thank: {
      at: after('endedAt', '30m'),
      async run({ record: { id, name, endedAt }, records, previous }) {
        said.push(`thank ${name}`)
        assert.equal(previous, null)
        if (name === 'weekly') await records(meetings).update(id, { endedAt: timeAfter(endedAt as string, 7 * day) })
      },
    },
    moved: { on: [changed('startsAt')], run: ({ record: { name } }) => void said.push(`moved ${name}`) },
  },
})

const timeAfter = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString()

test('a reminder follows its field, on every path', async (t) => {
  const service = await startService([meetings])
  t.after(() => service.stop())
  const { ask } = service
  const now = new Date(Math.ceil(service.now() / 1000) * 1000).toISOString()
  const at = (ms: number) => timeAfter(now, ms)
  const make = async (name: string, values: object) => {
    const made = await ask('POST', '/api/v1/meetings', { body: { name, ...values } })
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }
  /** Turns the clock, and returns what was said since the last time. */
  const until = async (ms: number) => {
    service.turn(Math.max(0, Date.parse(now) + ms - service.now()))
    await service.sweep()
    return said.splice(0).toSorted()
  }
  const ids: Record<string, string> = {}
  for (const [name, startsIn] of Object.entries({ soon: 2 * day, moved: 2 * day, gone: 2 * day, late: 2 * hour }))
    ids[name] = await make(name, { startsAt: at(startsIn) })
  await make('past', { startsAt: at(-hour), endedAt: at(-hour) })
  await make('none', {})
  for (const [name, startsIn] of Object.entries({ trashed: 2 * day, bulk: 2 * day, cut: 2 * day }))
    ids[name] = await make(name, { startsAt: at(startsIn) })
  const patch = async (name: string, body: object) =>
    assert.equal((await ask('PATCH', `/api/v1/meetings/${ids[name]}`, { body })).status, 200)
  await patch('moved', { startsAt: at(4 * day) })
  await patch('gone', { startsAt: null })
  await patch('soon', { name: 'soon, renamed' })
  for (const name of ['trashed', 'cut'])
    assert.equal((await ask('DELETE', `/api/v1/meetings/${ids[name]}`)).status, 204)
  const bulk = await ask('PATCH', '/api/v1/meetings?name=bulk&limit=10', { body: { startsAt: at(6 * day) } })
  assert.equal(bulk.status, 200, bulk.text)

  assert.deepEqual(await until(hour), ['moved bulk', 'moved gone', 'moved moved', 'remind late'])
  assert.deepEqual(await until(day + hour), ['remind soon, renamed'], 'with the record as it is then')
  const back = await ask('POST', `/api/v1/meetings/${ids.trashed}/restore`)
  assert.equal(back.status, 200, back.text)
  assert.deepEqual(await until(day + 2 * hour), ['remind trashed'], 'its moment has passed, its time has not')
  assert.deepEqual(await until(3 * day + hour), ['remind moved'])
  assert.deepEqual(await until(5 * day + hour), ['remind bulk'])
  assert.deepEqual(await until(9 * day), [])
})

test('an effect may move its own moment, more often than a chain of effects is long', async (t) => {
  const service = await startService([meetings])
  t.after(() => service.stop())
  said.length = 0
  const endedAt = new Date(service.now()).toISOString()
  await service.ask('POST', '/api/v1/meetings', { body: { name: 'weekly', endedAt } })
  for (let week = 0; week < 10; week += 1) {
    service.turn(7 * day)
    await service.sweep()
  }
  assert.equal(said.length, 10)
  assert.ok(!service.logged.some((line) => line.includes('failed')), service.logged.join('\n'))
})

test('moments of dates begin in their zone, also where the clocks change', () => {
  const due = (moment: Parameters<typeof dueAt>[0], value: string) => {
    const ms = dueAt(moment, value, 0)
    return ms === undefined ? undefined : new Date(ms).toISOString()
  }
  const zone = 'Europe/Berlin'
  assert.equal(due(before('on', '24h'), '2026-05-02'), '2026-05-01T00:00:00.000Z')
  assert.equal(due(before('on', '1h', { zone }), '2026-03-29'), '2026-03-28T22:00:00.000Z')
  assert.equal(due(after('on', '0s', { zone }), '2026-03-30'), '2026-03-29T22:00:00.000Z')
  assert.equal(due(after('on', '90s', { zone }), '2026-10-26'), '2026-10-25T23:01:30.000Z')
  assert.equal(date().type.name, 'date')
})
