/**
 * Jobs that have ended are kept for a time and up to a number, failed ones apart. Done and
 * cancelled ones go after a week, failed ones after 90 days. Those that wait stay.
 */
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { sweepJobs } from '../../src/jobs/sweep-jobs.ts'
import { boundJobs } from '../../src/record/jobs/add-job.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { startService } from '../../src/testing/index.ts'
import { file, mailroom, stamp } from './mailroom.ts'

const dayMs = 24 * 60 * 60_000

it('ended jobs are kept by age and number, failed ones apart', async (t: TestContext) => {
  const service = await startService(mailroom, { mayFail: true })
  t.after(() => service.stop())
  const { engine } = service.service
  const add = (job: typeof stamp, input: { text: string }, at = 0) =>
    engine.records.transaction(serviceAuthor, (tx) =>
      boundJobs(tx)(job).add(input, { at: new Date(service.now() + at), dedupe: { key: input.text, mode: 'keep' } }),
    )
  const states = async () =>
    (await engine.storage.jobs.list({ limit: 100, nowMs: service.now() })).map(({ state }) => state)
  const sweep = () => sweepJobs({ ...engine, clock: service.now }, () => false)

  await add(stamp, { text: 'refused' })
  for (const text of ['kept a', 'kept b', 'kept c']) await add(stamp, { text })
  await service.sweep()
  await add(stamp, { text: 'kept waits' }, 400 * dayMs)
  await add(stamp, { text: 'kept away' }, 400 * dayMs)
  await engine.records.transaction(serviceAuthor, (tx) => tx.cancelJobs({ name: 'stamp', key: 'kept away' }))
  await engine.records.transaction(serviceAuthor, (tx) => boundJobs(tx)(file).add({ drawer: 'now' }))
  await service.sweep()
  const all = ['failed', 'done', 'done', 'done', 'waiting', 'cancelled', 'done']
  assert.deepEqual(await states(), all)

  service.turn(6 * dayMs)
  await sweep()
  assert.deepEqual(await states(), all)
  const { storage } = engine
  while (await storage.jobs.sweep({ endedSinceMs: 0, endedMax: 2, failedSinceMs: 0 }));
  assert.deepEqual(await states(), ['failed', 'waiting', 'cancelled', 'done'], 'the newest two that have ended')
  service.turn(2 * dayMs)
  await sweep()
  assert.deepEqual(await states(), ['failed', 'waiting'])
  service.turn(80 * dayMs)
  await sweep()
  assert.deepEqual(await states(), ['failed', 'waiting'])
  service.turn(5 * dayMs)
  await sweep()
  await sweep()
  assert.deepEqual(await states(), ['waiting'], 'a failed one goes with its effect')
  assert.equal((await storage.effects.list({ kind: 'job.stamp', limit: 10, nowMs: service.now() })).length, 1)
})
