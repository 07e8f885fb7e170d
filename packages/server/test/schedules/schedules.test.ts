/**
 * Schedules of an application on a real server, whose clock the test turns. They run over changes
 * of daylight saving time and over a pause of the server, while a run goes on, and in a new
 * version.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { anyone, defineResource, defineSchedule, id, type ScheduleDeclaration, text } from '../../src/index.ts'
import {
  databaseOf,
  removeDatabase,
  removeFolder,
  startService,
  type TestService,
  temporaryFolder,
} from '../../src/testing/index.ts'
import { until } from '../helpers/until.ts'

const minuteMs = 60_000
const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: { id: id(), body: text({ required: true }) },
  list: { style: 'page' },
  access: { list: anyone, create: anyone },
})

/** One run. `short` makes `nightly 2026-03-29T01:00 +9` of it: it makes up for nine moments. */
type Ran = {
  readonly name: string
  readonly at: string
  readonly missed: number
  readonly tries: number
  readonly id: string
}
const short = ({ name, at, missed }: Ran) => `${name} ${at.slice(0, 16)}${missed > 0 ? ` +${missed}` : ''}`
const times = (all: readonly Ran[], of: string) =>
  all.filter(({ name }) => name === of).map(({ at, missed }) => `${at.slice(11, 16)}${missed > 0 ? ` +${missed}` : ''}`)

type Place = { readonly env: Record<string, string>; remove(): Promise<void> }
async function makePlace(): Promise<Place> {
  const folder = temporaryFolder()
  return {
    env: { DATA_DIR: folder, ...(await databaseOf(folder)) },
    async remove() {
      await removeDatabase(folder)
      removeFolder(folder)
    },
  }
}

type Declared = Omit<ScheduleDeclaration, 'run' | 'name'> & Partial<Pick<ScheduleDeclaration, 'run'>>

/** A world of one database, whose services start and stop. */
async function world(from: string) {
  const place = await makePlace()
  after(() => place.remove())
  const ran: Ran[] = []
  let nowMs = Date.parse(from)
  const start = async (schedules: Readonly<Record<string, Declared>>): Promise<TestService> => {
    const parts = Object.entries(schedules).map(([name, one]) =>
      defineSchedule({
        name,
        ...one,
        async run(given) {
          ran.push({ name, at: given.at, missed: given.missed, tries: given.tries, id: given.id })
          await one.run?.(given)
        },
      }),
    )
    return startService([notes, ...parts], { env: place.env, clock: () => nowMs, mayFail: ['schedule.writes'] })
  }
  return {
    ran,
    start,
    turnTo: (text: string) => {
      nowMs = Date.parse(text)
    },
    turn: (ms: number) => {
      nowMs += ms
    },
  }
}

describe('schedules', () => {
  it('run exactly at the declared moments over changes of daylight saving time in two zones', async () => {
    const { ran, start } = await world('2026-03-28T12:00:00Z')
    const service = await start({
      nightly: { cron: '30 2 * * *', zone: 'Europe/Berlin', missed: 'skip' },
      often: { cron: '*/30 2 * * *', zone: 'Europe/Berlin', missed: 'skip' },
      islander: { cron: '15 2 * * *', zone: 'Australia/Lord_Howe', missed: 'skip' },
      twice: { cron: '45 1 * * *', zone: 'Australia/Lord_Howe', missed: 'skip' },
    })
    const spans = [
      ['2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z'],
      ['2026-04-03T12:00:00Z', '2026-04-05T12:00:00Z'],
      ['2026-10-02T12:00:00Z', '2026-10-04T12:00:00Z'],
      ['2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z'],
    ] as const
    for (const [from, to] of spans) {
      service.turn(Date.parse(from) - service.now())
      await service.sweep()
      await service.advance(Date.parse(to) - Date.parse(from))
    }
    await service.stop()
    // Berlin skips 2:00 to 3:00 on March 29, and shows it twice on October 25. Lord Howe shows 1:30
    // to 2:00 twice on April 5, and skips 2:00 to 2:30 on October 4.
    const expected = [
      'islander 2026-03-28T15:15',
      'twice 2026-03-28T14:45',
      'nightly 2026-03-29T01:00',
      'islander 2026-03-29T15:15',
      'twice 2026-03-29T14:45',
      'nightly 2026-03-30T00:30',
      'often 2026-03-30T00:00',
      'often 2026-03-30T00:30',
      'nightly 2026-04-04T00:30',
      'often 2026-04-04T00:00',
      'often 2026-04-04T00:30',
      'nightly 2026-04-05T00:30',
      'often 2026-04-05T00:00',
      'often 2026-04-05T00:30',
      'islander 2026-04-03T15:15',
      'twice 2026-04-03T14:45',
      'islander 2026-04-04T15:45',
      'twice 2026-04-04T14:45',
      'nightly 2026-10-03T00:30',
      'often 2026-10-03T00:00',
      'often 2026-10-03T00:30',
      'nightly 2026-10-04T00:30',
      'often 2026-10-04T00:00',
      'often 2026-10-04T00:30',
      'islander 2026-10-02T15:45',
      'twice 2026-10-02T15:15',
      'islander 2026-10-03T15:30',
      'twice 2026-10-03T15:15',
      'nightly 2026-10-25T00:30',
      'often 2026-10-25T00:00',
      'often 2026-10-25T00:30',
      'often 2026-10-25T01:00',
      'often 2026-10-25T01:30',
      'nightly 2026-10-26T01:30',
      'often 2026-10-26T01:00',
      'often 2026-10-26T01:30',
      'islander 2026-10-24T15:15',
      'twice 2026-10-24T14:45',
      'islander 2026-10-25T15:15',
      'twice 2026-10-25T14:45',
    ]
    assert.deepEqual(ran.map(short).toSorted(), expected.toSorted())
    assert.ok(ran.every(({ tries }) => tries === 1))
    assert.equal(new Set(ran.map((one) => one.id)).size, ran.length)
  })

  it('after a pause of ten minutes they do about missed moments what they declare', async () => {
    const { ran, start, turnTo } = await world('2026-06-01T12:00:10Z')
    const all = {
      once: { cron: '* * * * *' },
      skip: { cron: '* * * * *', missed: 'skip' },
      all: { cron: '* * * * *', missed: 'all' },
      hourly: { cron: '5 * * * *', missed: 'skip' },
      made: { cron: '5 * * * *' },
    } as const
    const service = await start(all)
    await service.sweep()
    assert.deepEqual(ran, [], 'nothing comes before its first moment')
    turnTo('2026-06-01T12:01:00Z')
    await service.sweep()
    await service.sweep()
    assert.deepEqual(ran.map(short).toSorted(), [
      'all 2026-06-01T12:01',
      'once 2026-06-01T12:01',
      'skip 2026-06-01T12:01',
    ])
    await service.stop()
    ran.length = 0
    turnTo('2026-06-01T12:11:30Z')
    const again = await start(all)
    await again.sweep()
    assert.deepEqual(times(ran, 'once'), ['12:11 +9'])
    assert.deepEqual(times(ran, 'skip'), ['12:11'])
    assert.deepEqual(times(ran, 'all'), [
      '12:02',
      '12:03',
      '12:04',
      '12:05',
      '12:06',
      '12:07',
      '12:08',
      '12:09',
      '12:10',
      '12:11',
    ])
    assert.deepEqual(times(ran, 'hourly'), [])
    assert.deepEqual(times(ran, 'made'), ['12:05'])
    const told = again.logged.filter((line) => line.startsWith('warn The schedule '))
    assert.deepEqual(told.map((line) => line.slice(18).replace(/ \{\}$/, '')).toSorted(), [
      'all missed 9 moments since 2026-06-01T12:01:00.000Z, no server ran: each runs now',
      'hourly missed 1 moment since 2026-06-01T12:00:10.000Z, no server ran: it has no run',
      'made missed 1 moment since 2026-06-01T12:00:10.000Z, no server ran: one run makes up for it',
      'once missed 9 moments since 2026-06-01T12:01:00.000Z, no server ran: one run makes up for them',
      'skip missed 9 moments since 2026-06-01T12:01:00.000Z, no server ran: they have no run',
    ])
    await again.advance(2 * minuteMs)
    assert.deepEqual(times(ran, 'once'), ['12:11 +9', '12:12', '12:13'])
    assert.equal(ran.length, 1 + 1 + 10 + 1 + 3 * 2)
    await again.stop()
  })

  it('no run begins while an earlier one goes on', async () => {
    const { ran, start, turn } = await world('2026-06-01T12:00:00Z')
    const release: (() => void)[] = []
    const run = () => new Promise<void>((resolve) => void release.push(resolve))
    const service = await start({
      once: { cron: '* * * * *', run },
      skip: { cron: '* * * * *', missed: 'skip', run },
      all: { cron: '* * * * *', missed: 'all', run },
    })
    for (let i = 0; i < 5; i += 1) {
      turn(minuteMs)
      const sweeping = service.sweep()
      if (i === 0) {
        await until(() => release.length === 3, 'the first ones run')
        sweeping.catch(() => undefined)
      }
      await until(async () => {
        const rows = await service.service.engine.storage.schedules.list()
        return rows.length === 3 && rows.every(({ decidedMs }) => decidedMs === service.now())
      }, 'the moments are decided')
    }
    assert.equal(ran.length, 3)
    await until(() => {
      for (const end of release.splice(0)) end()
      return times(ran, 'all').length === 5 && times(ran, 'once').length === 2
    }, 'those behind have run')
    await service.sweep()
    assert.deepEqual(times(ran, 'once'), ['12:01', '12:02'])
    assert.deepEqual(times(ran, 'skip'), ['12:01'])
    assert.deepEqual(times(ran, 'all'), ['12:01', '12:02', '12:03', '12:04', '12:05'])
    assert.ok(
      service.logged.some((line) => /schedule once missed 1 moment since .*, an earlier run goes on/.test(line)),
    )
    await service.stop()
  })

  it('a run writes records as the system, is retried, and given up without holding up the next', async () => {
    const { ran, start } = await world('2026-06-01T12:00:00Z')
    let isFailing = true
    const service = await start({
      writes: {
        cron: '0 * * * *',
        retries: { tries: 2 },
        async run({ records, transaction, now, tries, at }) {
          if (isFailing) throw new Error('not now')
          assert.equal(now >= at, true)
          await transaction(async (inside) => inside.records(notes).create({ body: `${at} ${tries}` }))
          await records(notes).create({ body: 'another' })
        },
      },
    })
    await service.advance(60 * minuteMs)
    assert.equal(ran.length, 1)
    service.turn(15_000)
    await service.sweep()
    assert.deepEqual(
      ran.map(({ tries }) => tries),
      [1, 2],
    )
    assert.equal(ran[0]?.id, ran[1]?.id)
    assert.ok(service.logged.some((line) => line.includes('A run of the schedule writes is given up')))
    isFailing = false
    await service.advance(60 * minuteMs)
    const listed = await service.ask('GET', '/api/v1/notes')
    assert.deepEqual(
      listed.body.data.map((one: { body: string }) => one.body),
      ['2026-06-01T14:00:00.000Z 1', 'another'],
    )
    await service.stop()
  })

  it('a changed expression counts from its start, and a removed schedule is forgotten', async () => {
    const { ran, start, turnTo } = await world('2026-06-01T12:00:00Z')
    const first = await start({ nightly: { cron: '0 3 * * *' }, gone: { cron: '0 3 * * *' } })
    await first.sweep()
    await first.stop()
    turnTo('2026-06-05T12:00:00Z')
    const second = await start({ nightly: { cron: '0 4 * * *' } })
    await second.sweep()
    assert.deepEqual(ran, [])
    const rows = await second.service.engine.storage.schedules.list()
    assert.deepEqual(
      rows.map(({ name, cron, nextMs }) => [name, cron, nextMs]),
      [['nightly', '0 4 * * *', Date.parse('2026-06-06T04:00:00Z')]],
    )
    await second.advance(24 * 60 * minuteMs)
    assert.deepEqual(ran.map(short), ['nightly 2026-06-06T04:00'])
    await second.stop()
    turnTo('2026-06-10T12:00:00Z')
    const third = await start({ nightly: { cron: '0 4 * * *' }, gone: { cron: '0 3 * * *' } })
    await third.sweep()
    assert.deepEqual(ran.map(short), ['nightly 2026-06-06T04:00', 'nightly 2026-06-10T04:00 +3'])
    await third.stop()
    const none = await start({})
    await until(async () => (await none.service.engine.storage.schedules.list()).length === 0, 'all are forgotten')
    await none.stop()
  })
})
