/** Passwords that are guessed first: those that everybody has, and those that stand in the account itself. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startService } from '../../src/testing/index.ts'
import { members, people } from '../service/people.ts'

const common = { error: 'password is one of the commonest passwords; choose another' }
const own = { error: "password must not be the account's own e-mail or name; choose another" }

describe('a chosen password', async () => {
  const service = await startService(people)
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
