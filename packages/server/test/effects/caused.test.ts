/**
 * Writes of the code of effects: the change log, versions and later effects name the effect that
 * caused them. A chain of more than eight ends, and a write may say that it causes none.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, changed, defineResource, id, integer, text } from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'

const ran: [effect: string, number: number][] = []
const failed: string[] = []

const balls = defineResource({
  name: 'ball',
  path: '/balls',
  fields: { id: id(), name: text({ required: true }), hits: integer({ default: 0 }), seen: integer() },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, update: anyone },
  history: { read: anyone },
  effects: {
    hit: {
      on: ['create', changed('hits')],
      async run({ record: { id, hits, name }, records, author }) {
        ran.push(['hit', hits ?? 0])
        assert.deepEqual(author, { userId: null, role: null, isTrusted: hits !== 0 }, 'a stranger, then the service')
        const changing = name === 'quiet' ? records.quiet(balls) : records(balls)
        try {
          await changing.update(id, { hits: (hits ?? 0) + 1 })
        } catch (error) {
          failed.push((error as Error).message)
          throw error
        }
      },
    },
    also: {
      on: [changed('hits', { to: 1 })],
      async run({ record: { id }, transaction }) {
        ran.push(['also', 1])
        await transaction(({ records }) => records.quiet(balls).update(id, { seen: 1 }))
      },
    },
    see: { on: [changed('seen')], run: () => void ran.push(['see', 0]) },
  },
})

test('a chain of effects names its causes, and ends after eight', async (t) => {
  const service = await startService([balls], { mayFail: ['ball.hit'] })
  t.after(() => service.stop())
  const { ask } = service
  const made = await ask('POST', '/api/v1/balls', { body: { name: 'loud' } })
  assert.equal(made.status, 201, made.text)
  await service.sweep()
  const hits = ran.filter(([effect]) => effect === 'hit').map(([, number]) => number)
  assert.deepEqual(hits, [0, 1, 2, 3, 4, 5, 6, 7], 'eight effects')
  assert.deepEqual(failed, [
    'An effect of ball.hit would be number 9 in a chain of effects, and 8 is the most: they cause each other. A write by records.quiet(…) causes none',
  ])
  const given = service.logged.filter((line) => line.includes('given up'))
  assert.equal(given.length, 1, 'another try is of no use')
  const { body } = await ask('GET', `/api/v1/balls/${made.body.id}`)
  assert.deepEqual([body.hits, body.seen], [7, 1])
  assert.ok(!ran.some(([effect]) => effect === 'see'), 'a quiet write causes none')
  const versions = await ask('GET', `/api/v1/balls/${made.body.id}/history`)
  assert.equal(versions.status, 200, versions.text)
  const credentials = versions.body.data.map((one: { historyCredential: string }) => one.historyCredential).reverse()
  assert.equal(credentials[0], 'anonymous')
  assert.ok(
    credentials.slice(1).every((credential: string) => /^effect:[0-9a-f-]{36}$/.test(credential)),
    String(credentials),
  )
  assert.equal(new Set(credentials).size, credentials.length, 'each by another effect')
})

test('a quiet write of an effect ends a chain', async (t) => {
  const service = await startService([balls])
  t.after(() => service.stop())
  ran.length = 0
  await service.ask('POST', '/api/v1/balls', { body: { name: 'quiet' } })
  await service.sweep()
  assert.deepEqual(ran, [['hit', 0]])
})
