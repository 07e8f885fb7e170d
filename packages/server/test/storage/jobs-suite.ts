/**
 * Jobs, the same on every database. Their states follow from their effects: added with a
 * transaction, claimed, done, failed, cancelled while they wait and while they run, swept.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { jobKindName } from '../../src/resource/jobs/job-context.ts'
import type { Change } from '../../src/storage/changes.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { ClaimedEffect } from '../../src/storage/stored-effects.ts'
import { cancelledOf, type NewJob } from '../../src/storage/stored-jobs.ts'
import { type Database, libraryCatalog, type MakeDatabase, tester } from './library.ts'

export function jobsSuite(database: string, make: MakeDatabase): void {
  describe(`${database}: jobs`, () => {
    let place: Database
    let one: Storage
    let two: Storage
    before(async () => {
      place = await make()
      one = await place.open(libraryCatalog)
      two = await place.open(libraryCatalog)
    })
    after(async () => {
      await Promise.all([one.close(), two.close()])
      await place.remove()
    })

    const add = (name: string, ids: readonly string[], own: Partial<NewJob> = {}) =>
      one.transaction(tester, async (tx) => {
        for (const id of ids) {
          const line = own.queue ?? id
          const job = {
            id,
            name,
            line,

            userId: null,
            tenant: null,
            queue: null,
            dedupe: null,
            input: '{}',
          }
          await tx.addJob({ ...job, addedMs: 5, ...own })
          const kind = jobKindName(name)
          const inOrder = own.queue != null
          await tx.leaveEffects([{ id, kind, key: line, inOrder, dueMs: 5, leftMs: 5, payload: '{}', context: null }])
        }
      })
    const claim = (storage: Storage, name: string, nowMs = 5) => {
      const holder = storage === one ? 'one' : 'two'
      const request = {
        kind: jobKindName(name),
        fromMs: 0,
        withLost: true,
        nowMs,
        limit: 9,
        holder,
        leaseMs: 100,
        inOrder: true,
      }
      return storage.effects.claim(request)
    }
    const statesOf = async (name: string, nowMs = 6) =>
      (await two.jobs.list({ name, limit: 99, nowMs })).map(({ id, state }) => `${id} ${state}`)
    const cancel = (ids: readonly string[], running: boolean) =>
      one.transaction(tester, (tx) => tx.cancelJobs(ids, { nowMs: 7, running }))

    test('one is there with its transaction, and its state is that of its effect', async () => {
      const undone = one.transaction(tester, async (tx) => {
        const job = { id: 'undone', name: 'send', line: 'undone', userId: 'u', tenant: null }
        await tx.addJob({ ...job, queue: null, dedupe: null, input: '{}', addedMs: 5 })
        throw new Error('undone')
      })
      await assert.rejects(undone, /undone/)
      await add('send', ['a', 'b', 'c'], { userId: 'u', input: '{"to":"x"}' })
      assert.deepEqual(await statesOf('send'), ['a waiting', 'b waiting', 'c waiting'])
      const [a, b, c] = await claim(one, 'send')
      assert.deepEqual(await one.jobs.start('a', 1, 6), {
        input: '{"to":"x"}',
        queue: null,
        dedupe: null,
      })
      assert.deepEqual(await statesOf('send'), ['a running', 'b running', 'c running'])
      assert.deepEqual(await statesOf('send', 200), ['a waiting', 'b waiting', 'c waiting'], 'their lease has ended')
      await one.jobs.advance('a', '{"done":1}')
      await one.jobs.finish({ id: 'a', result: '{"sent":2}', progress: null, nowMs: 8 })
      await one.jobs.refuse('b', 'No address')
      const givenUp = [{ ...(b as ClaimedEffect), error: 'EADDR' }]
      const later = [{ ...(c as ClaimedEffect), dueMs: 90, error: 'busy' }]
      await one.effects.settle('one', { done: [a as ClaimedEffect], later, givenUp }, 9)
      assert.deepEqual(await statesOf('send'), ['a done', 'b failed', 'c waiting'])
      const done = await two.jobs.find('a', 9)
      assert.deepEqual(
        { ...done, number: 0 },
        {
          ...{ number: 0, id: 'a', name: 'send', state: 'done', userId: 'u', tenant: null, queue: null },
          ...{ dedupe: null, input: '{"to":"x"}', progress: '{"done":1}', result: '{"sent":2}', refusal: null },
          ...{ error: null, tries: 1, addedMs: 5, dueMs: null, startedMs: 6, endedMs: 8, effect: null },
        },
      )
      const [failed] = await two.jobs.findAll('b', 9)
      assert.deepEqual([failed?.refusal, failed?.error, failed?.endedMs], ['No address', 'EADDR', 9])
      assert.equal(await one.jobs.start('a', 2, 9), undefined, 'it is not done twice')
      assert.equal(await one.jobs.start('nothing', 1, 9), undefined)
      await one.effects.retry([failed?.effect as number], 9)
      assert.deepEqual(await statesOf('send'), ['a done', 'b waiting', 'c waiting'])
    })

    test('a key holds those that wait or run, in its tenant', async () => {
      await add('keyed', ['k1'], { dedupe: 'feed' })
      await add('keyed', ['k2'], { dedupe: 'feed', tenant: '{"id":1}' })
      await add('keyed', ['k3'], { dedupe: 'other' })
      const held = (tenant: string | null) =>
        one.transaction(tester, (tx) => tx.heldJobs({ name: 'keyed', tenant, dedupe: 'feed' }, 6))
      assert.deepEqual(await held(null), [{ id: 'k1', state: 'waiting' }])
      assert.deepEqual(await held('{"id":1}'), [{ id: 'k2', state: 'waiting' }])
      await claim(one, 'keyed')
      assert.deepEqual(await held(null), [{ id: 'k1', state: 'running' }])
      await one.jobs.finish({ id: 'k1', result: null, progress: null, nowMs: 8 })
      assert.deepEqual(await held(null), [])
    })

    test('a cancelled one ends, its process is told, and the next of its queue comes forward', async () => {
      const told: Change[] = []
      two.changes.follow({ apply: (changes) => void told.push(...changes), reset: () => undefined })
      await add('queued', ['q1', 'q2', 'q3'], { queue: 'line' })
      assert.deepEqual(
        (await claim(one, 'queued')).map(({ id }) => id),
        ['q1'],
      )
      assert.equal(await cancel(['q1', 'q2'], false), 1, 'the one that waits')
      assert.deepEqual(await statesOf('queued'), ['q1 running', 'q2 cancelled', 'q3 waiting'])
      assert.deepEqual(await claim(two, 'queued'), [], 'one after another')
      assert.equal(await cancel(['q1'], true), 1)
      assert.deepEqual(
        (await claim(two, 'queued', 9)).map(({ id }) => id),
        ['q3'],
      )
      await one.jobs.finish({ id: 'q1', result: '1', progress: null, nowMs: 9 })
      assert.deepEqual(await statesOf('queued'), ['q1 cancelled', 'q2 cancelled', 'q3 running'])
      await two.changes.catchUp()
      assert.deepEqual(told.flatMap(cancelledOf), ['q2', 'q1'])
      assert.equal(await cancel(['q1', 'gone'], true), 0)
    })

    test('ended ones go by age and number, failed ones by an age of their own', async () => {
      await add('swept', ['s1', 's2', 's3', 's4', 's5'])
      const claimed = await claim(one, 'swept')
      for (const [at, id] of ['s1', 's2', 's3'].entries())
        await one.jobs.finish({ id, result: null, progress: null, nowMs: 1_000_000 + at })
      const givenUp = [{ ...(claimed[3] as ClaimedEffect), error: 'no' }]
      await one.effects.settle('one', { done: claimed.slice(0, 3), later: [], givenUp }, 1_000_003)
      assert.equal(await one.jobs.sweep({ endedSinceMs: 1_000_001, endedMax: 1, failedSinceMs: 0 }), false)
      assert.deepEqual(await statesOf('swept'), ['s3 done', 's4 failed', 's5 running'])
      await one.jobs.sweep({ endedSinceMs: 1_000_001, endedMax: 9, failedSinceMs: 2_000_000 })
      assert.deepEqual(await statesOf('swept'), ['s3 done', 's5 running'])
    })
  })
}
