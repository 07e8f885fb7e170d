/**
 * The passwords that attackers guess first are refused: the common ones, and those that contain
 * data of the account.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { role } from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'
import { members, people } from '../service/people.ts'

/** The members of these tests, whom an ADMIN may change. */
const changeable = [{ ...members, access: { ...members.access, update: role('ADMIN') } }, ...people.slice(1)]
const common = { error: 'password is one of the commonest passwords; choose another' }
const own = { error: "password must not be the account's own e-mail or name; choose another" }

describe('a chosen password', async () => {
  const service = await startService(changeable)
  after(() => service.stop())
  const signUp = (email: string, password: string) =>
    service.ask('POST', '/api/v1/members', { body: { email, password } })

  for (const password of [
    'password',
    'Password',
    '12345678',
    '00000000',
    'qwertyui',
    'iloveyou',
    'password123',
    '1234567890',
  ])
    it(`is not ${password}, which everybody tries`, async () => {
      const reply = await signUp('ann@example.com', password)
      assert.deepEqual([reply.status, reply.body], [400, common])
    })

  for (const password of ['annabel.lee@example.com', 'ANNABEL.LEE@example.com', 'annabel.lee', 'Annabel.Lee'])
    it(`is not ${password} of annabel.lee@example.com`, async () => {
      const reply = await signUp('annabel.lee@example.com', password)
      assert.deepEqual([reply.status, reply.body], [400, own])
    })

  it('may be anything else, also what only contains such a word', async () => {
    const good = ['password of mine', 'annabel.lee@example.org', '12345678!', 'Passw0rd-4711', 'exámple.com']
    for (const [i, password] of good.entries())
      assert.equal((await signUp(`annabel.lee${i || ''}@example.com`, password)).status, 201, password)
  })

  it('is not the stored e-mail either, where the password alone is changed', async () => {
    const { id, email } = await service.person()
    const token = (await service.admin()).token
    const change = (password: string) => service.ask('PATCH', `/api/v1/members/${id}`, { body: { password }, token })
    assert.deepEqual((await change(email)).body, own)
    assert.deepEqual((await change('iloveyou')).body, common)
    assert.equal((await change('something else')).status, 200)
  })

  it('is judged in GraphQL as it is in REST', async () => {
    const query = 'mutation { createMember(input: { email: "bob@example.com", password: "password" }) { id } }'
    const reply = await service.ask('POST', '/graphql', { body: { query } })
    assert.equal(reply.body.errors[0].message, common.error)
    assert.equal(reply.body.errors[0].extensions.code, 'BAD_USER_INPUT')
  })
})

it('the operator is told that the first ADMIN has such a password', async () => {
  const service = await startService([members, ...people.slice(1)], { env: { ADMIN_PASSWORD: 'password123' } })
  await service.stop()
  assert.ok(service.logged.some((line) => line.includes('ADMIN_PASSWORD is one of the commonest passwords')))
})
