/**
 * The rate limit counts requests for each client: the user or key of a good credential, or else the
 * address.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type AskOptions, adminEmail, password, startService, type TestService } from '../helpers/service.ts'

describe('RATE_LIMIT', () => {
  let service: TestService
  let token: string
  let key: string
  before(async () => {
    service = await startService({ RATE_LIMIT: '8/1m' })
    token = (await service.admin()).token
    key = await service.key(await service.admin())
  })
  after(() => service.stop())

  async function statuses(count: number, method: string, path: string, options: AskOptions = {}): Promise<number[]> {
    const replies = await Promise.all(Array.from({ length: count }, () => service.ask(method, path, options)))
    for (const reply of replies.filter(({ status }) => status === 429)) {
      assert.deepEqual(Object.keys(reply.body), ['error'])
      assert.ok(Number(reply.headers.get('retry-after')) > 0)
    }
    return replies.map((reply) => reply.status).sort()
  }

  it('counts each client by itself, and is not fooled by forged addresses', async () => {
    // Requests so far: the address has logged in once, the user has created one key.
    assert.deepEqual(await statuses(9, 'GET', '/books'), [...Array(7).fill(200), 429, 429])
    assert.deepEqual(await statuses(8, 'GET', '/books', { token }), [...Array(7).fill(200), 429])
    assert.deepEqual(await statuses(9, 'GET', '/books', { key }), [...Array(8).fill(200), 429])
    assert.deepEqual(await statuses(1, 'GET', '/books', { headers: { 'x-forwarded-for': '10.0.0.1' } }), [429])
  })

  it('counts bad credentials, log-ins, refreshes and log-outs for their address', async () => {
    const asks: [string, string, AskOptions][] = [
      ['GET', '/messages', { token: 'a.b.c' }],
      ['GET', '/books', { key: 'bk_wrong' }],
      ['POST', '/auth/login', { body: { email: adminEmail, password } }],
      ['POST', '/auth/refresh', { cookie: 'refreshToken=x' }],
      ['POST', '/api/v1/auth/refresh-token', { cookie: 'refreshToken=x' }],
      ['POST', '/auth/logout', {}],
    ]
    for (const [method, path, options] of asks) assert.deepEqual(await statuses(1, method, path, options), [429], path)
  })

  it('leaves health out', async () => {
    assert.deepEqual(await statuses(10, 'GET', '/livez'), Array(10).fill(200))
  })
})
