/** Second factors: a user enrols one with the password of the account, never with a token alone. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { password, startService, type TestService } from 'bindery-server/test'
import { resources } from '../app.ts'

let service: TestService
before(async () => {
  service = await startService(resources)
})
after(() => service.stop())

test('an authenticator app is enrolled by somebody who knows the password, and by no token alone', async () => {
  const { token } = await service.admin()
  const begin = (more: object) => service.ask('POST', '/api/v1/factors', { token, body: { type: 'totp', ...more } })
  assert.equal((await begin({})).status, 403)
  const begun = await begin({ currentPassword: password })
  assert.equal(begun.status, 200)
  assert.match(begun.body.address, /^otpauth:/)
})
