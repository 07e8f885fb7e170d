/**
 * `Prefer: dry-run` on operations without a dry run: the request is refused, and nothing has
 * changed.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminEmail, password, startService, type TestService } from '../helpers/service.ts'

let service: TestService
before(async () => {
  service = await startService()
})
after(() => service.stop())
const headers = { prefer: 'dry-run' }

async function refuse(path: string, body: object, token?: string): Promise<void> {
  const reply = await service.ask('POST', path, { body, headers, ...(token && { token }) })
  const { status, body: answer } = reply
  assert.deepEqual([status, answer], [400, { error: 'This takes no Prefer: dry-run; nothing was done' }], path)
}

test('mails, new passwords and proofs of an address', async () => {
  for (const mount of ['', '/api/v1']) {
    await refuse(`${mount}/auth/forgot`, { email: adminEmail })
    await refuse(`${mount}/auth/reset`, { token: 'a', password: 'correct horse battery' })
    await refuse(`${mount}/auth/verify`, { email: adminEmail })
  }
  const { body: session } = await service.ask('POST', '/auth/login', { body: { email: adminEmail, password } })
  const events = await service.ask('GET', '/api/v1/audit-events?limit=100&fields=event', { token: session.accessToken })
  assert.doesNotMatch(events.text, /reset|mail/)
})

test('second factors', async () => {
  const { token } = await service.person()
  await refuse('/api/v1/factors', { type: 'totp', currentPassword: password }, token)
  await refuse('/api/v1/factors/finish', { ticket: 'a', code: '123456' }, token)
  await refuse('/api/v1/factors/recovery-codes', { currentPassword: password }, token)
  assert.equal((await service.ask('GET', '/api/v1/factors', { token })).body.meta.total, 0)
})

test('a log-in takes no notice of it', async () => {
  const reply = await service.ask('POST', '/auth/login', { body: { email: adminEmail, password }, headers })
  assert.deepEqual([reply.status, reply.headers.get('preference-applied')], [200, null])
})
