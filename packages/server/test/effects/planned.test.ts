/**
 * The moments of records that are older than the declaration of their effect. A sweep plans them
 * once, where they are still to come, and moves them when the span has changed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, before, date, defineResource, id, type TimeSpan, text, timestamp } from '../../src/index.ts'
import { databaseOf, startService, temporaryFolder } from '../../src/testing/index.ts'
import { removeFolder } from '../helpers/application.ts'

const [hour, day] = [3_600_000, 86_400_000]
const said: string[] = []

const meetings = (span?: TimeSpan) =>
  defineResource({
    name: 'meeting',
    path: '/meetings',
    fields: { id: id(), name: text({ required: true }), startsAt: timestamp(), dueOn: date() },
    list: { style: 'page' },
    access: { list: anyone, create: anyone },
    ...(span && {
      effects: {
        remind: { at: before('startsAt', span), run: ({ record: { name } }) => void said.push(`remind ${name}`) },
        warn: { at: before('dueOn', '1h'), run: ({ record: { name } }) => void said.push(`warn ${name}`) },
      },
    }),
  })

test('records that are older than a moment get it once, where it is still to come', async (t) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const env = { DATA_DIR: folder, ...(await databaseOf(folder)) }
  const from = Date.parse('2026-06-01T12:00:00Z')
  const start = async (span: TimeSpan | undefined, ms: number) => {
    const service = await startService([meetings(span)], { env, clock: () => from + ms })
    let stopping: Promise<void> | undefined
    const stop = () => (stopping ??= service.stop())
    t.after(stop)
    const kinds = async () => {
      const rows = await service.service.engine.storage.effects.list({ limit: 1_000, nowMs: service.now() })
      return rows.map(({ kind, dueMs }) => `${kind} ${(dueMs - from) / hour}`).toSorted()
    }
    return { ...service, stop, kinds }
  }
  const old = await start(undefined, 0)
  const add = (name: string, values: object) => old.ask('POST', '/api/v1/meetings', { body: { name, ...values } })
  const at = (ms: number) => new Date(from + ms).toISOString()
  for (const [name, ms] of Object.entries({ far: 5 * day, soon: 2 * day, passed: 2 * hour, over: -day }))
    assert.equal((await add(name, { startsAt: at(ms) })).status, 201)
  await add('none', {})
  await add('dated', { dueOn: '2026-06-03' })
  await add('dated before', { dueOn: '2026-06-01' })
  await old.stop()

  const first = await start('24h', 0)
  await first.sweep()
  const planned = ['meeting.remind 24', 'meeting.remind 96', 'meeting.warn 35']
  assert.deepEqual(await first.kinds(), planned)
  await first.sweep()
  assert.deepEqual([await first.kinds(), said], [planned, []], 'once')
  await first.stop()

  const longer = await start('3d', 0)
  await longer.sweep()
  assert.deepEqual(await longer.kinds(), ['meeting.remind 24', 'meeting.remind 48', 'meeting.warn 35'])
  longer.turn(50 * hour)
  await longer.sweep()
  assert.deepEqual(said.toSorted(), ['remind far', 'remind soon', 'warn dated'])
  assert.deepEqual(await longer.kinds(), [])
})

test('planning goes through many records in steps', async (t) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const env = { DATA_DIR: folder, ...(await databaseOf(folder)) }
  const old = await startService([meetings()], { env })
  const startsAt = new Date(old.now() + 9 * day).toISOString()
  await old.service.engine.records.transaction({ userId: null, role: null, credential: 'console' }, async (tx) => {
    const resource = old.service.engine.catalog.get('meeting')
    for (let i = 0; i < 250; i += 1) await tx.insert(await tx.prepare(resource, { name: `n${i}`, startsAt }))
  })
  await old.stop()
  const service = await startService([meetings('24h')], { env })
  t.after(() => service.stop())
  await service.sweep()
  const [depth] = await service.service.engine.storage.effects.depths(service.now())
  assert.deepEqual([depth?.kind, depth?.state, depth?.count], ['meeting.remind', 'waiting', 250])
})
