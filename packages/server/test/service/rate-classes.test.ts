/**
 * `RATE_LIMIT` by class: log-ins, GraphQL, reads and writes count separately where each has its own
 * limit, and together otherwise.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { startService } from '../../src/testing/index.ts'
import { notes, people } from './people.ts'

describe('limits of classes', async () => {
  const service = await startService([...people, notes], { env: { RATE_LIMIT: '4/1m, auth=2/1m, graphql=3/1m' } })
  after(() => service.stop())
  const body = { title: 'a' }
  const asks = {
    auth: () => service.ask('POST', '/auth/login', { body: {} }),
    graphql: () => service.ask('POST', '/graphql', { body: { query: '{ __typename }' } }),
    read: () => service.ask('GET', '/api/v1/notes'),
    write: () => service.ask('POST', '/api/v1/notes', { body }),
  }
  const statuses = async (kind: keyof typeof asks, count: number) => {
    const all: number[] = []
    for (let i = 0; i < count; i += 1) all.push((await asks[kind]()).status)
    return all
  }

  it('are counted each by itself', async () => {
    assert.deepEqual(await statuses('auth', 3), [400, 400, 429])
    assert.deepEqual(await statuses('graphql', 4), [200, 200, 200, 429])
    assert.deepEqual(await statuses('read', 2), [200, 200])
  })

  it('and what has none of its own shares the one that stands alone', async () => {
    assert.deepEqual(await statuses('write', 3), [201, 201, 429])
    assert.deepEqual(await statuses('read', 1), [429])
  })
})

it('a class without a limit is not counted where no limit stands alone', async (t) => {
  const service = await startService([...people, notes], { env: { RATE_LIMIT: 'write=1/1m' } })
  t.after(() => service.stop())
  const ask = (method: string, options = {}) => service.ask(method, '/api/v1/notes', options)
  for (let i = 0; i < 5; i += 1) assert.equal((await ask('GET')).status, 200)
  assert.equal((await ask('POST', { body: { title: 'a' } })).status, 201)
  assert.equal((await ask('POST', { body: { title: 'a' } })).status, 429)
})

describe('RATE_LIMIT', () => {
  const of = (RATE_LIMIT: string) => readConfig({ RATE_LIMIT }).rateLimits
  const wrong: [string, RegExp][] = [
    ['lots', /must look like 600\/1m/],
    ['600/1m,auth', /must look like 600\/1m/],
    ['600/1m,auth=', /has no limit for auth/],
    ['logins=60/1m', /has logins=60\/1m; a limit stands alone or behind one of auth, graphql, read, write/],
    ['all=60/1m', /stands alone/],
    ['600/1m,60/1m', /has two limits for everything/],
    ['auth=1/1m,auth=2/1m', /has two limits for auth/],
    ['auth=0/1m', /must look like/],
    ['__proto__=1/1m', /stands alone/],
  ]
  for (const [text, message] of wrong) it(`is refused as ${text}`, () => assert.throws(() => of(text), message))

  it('is off unless set', () => assert.deepEqual([of(''), of(' , ')], [undefined, undefined]))
  it('has limits by class', () =>
    assert.deepEqual(of('600/1m,auth=5/2h'), {
      all: { points: 600, windowSeconds: 60 },
      auth: { points: 5, windowSeconds: 7200 },
    }))
})
