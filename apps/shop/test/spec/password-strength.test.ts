/**
 * `PASSWORD_STRENGTH`: new passwords that zxcvbn rates too weak are refused wherever one is chosen.
 * Existing ones still log in.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { mailboxOf } from '../helpers/mails.ts'
import { password, startService, type TestService } from '../helpers/service.ts'

let service: TestService
before(async () => {
  service = await startService({ PASSWORD_STRENGTH: '3' })
})
after(() => service.stop())

const strong = 'tuxedo-lamp-orbit-97'
const signUp = (email: string, secret: string, name?: string) =>
  service.ask('POST', '/api/v1/users', { body: { email, password: secret, name } })

it('are refused with what to do, at sign-up, change and reset', async () => {
  for (const secret of ['Sommer2024!', 'qwertzuiop', 'Schwarzwald', 'schell-97']) {
    const reply = await signUp('max@example.com', secret, 'Maximilian Schell')
    assert.equal(reply.status, 400, secret)
    assert.match(reply.body.error, /^password is too easy to guess\. [A-Z].*\.$/)
  }
  assert.equal((await signUp('max@example.com', strong)).status, 201)
  const max = await service.logIn('max@example.com', strong)
  const change = (secret: string) =>
    service.ask('PATCH', `/api/v1/users/${max.id}`, {
      body: { password: secret, currentPassword: strong },
      token: max.token,
    })
  assert.match((await change('Fussball123')).body.error, /too easy/)
  assert.equal((await change('quilted 4 Moons over tar')).status, 200)
  await service.ask('POST', '/auth/forgot', { body: { email: 'max@example.com' } })
  const box = mailboxOf(service)
  await box.wait('max@example.com', 2)
  const token = box.to('max@example.com').find((mail) => mail.token !== '')?.token
  const reset = (secret: string) => service.ask('POST', '/auth/reset', { body: { token, password: secret } })
  assert.match((await reset('Sommer2024!')).body.error, /too easy/)
  assert.equal((await reset(strong)).status, 204)
  await service.logIn('admin@example.com', password)
})
