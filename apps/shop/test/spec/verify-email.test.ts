/**
 * `VERIFY_EMAIL=required`: an address counts only after it is proven, at sign-up and when a user
 * changes it.
 */
import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Mailbox, mailboxOf } from '../helpers/mails.ts'
import { adminEmail, password, startService, type TestService } from '../helpers/service.ts'

const used = { error: 'token is used, expired or unknown; ask for a new mail' }
let service: TestService
let box: Mailbox
before(async () => {
  const env = { VERIFY_EMAIL: 'required', MAIL_LINKS: 'https://app.example/account/' }
  // One test leaves a mail that cannot be sent.
  service = await startService(env, { mayFail: ['mail'] })
  box = mailboxOf(service)
})
after(() => service.stop())

const post = (path: string, body: object) => service.ask('POST', path, { body })
async function signUp(email: string) {
  const reply = await post('/api/v1/users', { email, password })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}
const statusOf = async (id: string) =>
  (await service.ask('GET', `/api/v1/users/${id}`, { token: (await service.admin()).token })).body.status

describe('a sign-up', () => {
  it('is INACTIVE until its mail is answered, by a page of the application', async () => {
    const { id, status } = await signUp('ann@example.com')
    assert.equal(status, 'INACTIVE')
    const { text, token } = await box.wait('ann@example.com')
    assert.ok(text.includes(`https://app.example/account/verify?token=${token}`))
    await assert.rejects(service.logIn('ann@example.com'), /401/)
    await post('/auth/forgot', { email: 'ann@example.com' })
    await box.settle()
    assert.equal(box.to('ann@example.com').length, 1, 'no way around it')
    assert.equal((await post('/api/v1/auth/verify', { token })).status, 204)
    assert.equal(await statusOf(id), 'ACTIVE')
    await service.logIn('ann@example.com')
    assert.deepEqual((await post('/auth/verify', { token })).body, used)
  })

  it('may ask for its mail again, and nobody else may', async () => {
    const { id } = await signUp('bob@example.com')
    await box.wait('bob@example.com')
    const admin = await service.admin()
    const idle = await service.person()
    const patch = await service.ask('PATCH', `/api/v1/users/${idle.id}`, {
      body: { status: 'INACTIVE' },
      token: admin.token,
    })
    assert.equal(patch.status, 200)
    for (const email of ['bob@example.com', idle.email, 'nobody@example.com'])
      assert.equal((await post('/auth/verify', { email })).status, 202)
    const { token } = await box.wait('bob@example.com', 2)
    await box.settle()
    assert.deepEqual(box.to(idle.email), [], 'an ADMIN has decided')
    assert.equal((await post('/auth/verify', { token })).status, 204)
    assert.equal(await statusOf(id), 'ACTIVE')
  })

  it('is decided by an ADMIN, whatever mails are there', async () => {
    const { id } = await signUp('cid@example.com')
    const { token } = await box.wait('cid@example.com')
    const admin = await service.admin()
    assert.equal((await service.ask('POST', `/api/v1/users/${id}/suspend`, { token: admin.token })).status, 200)
    assert.deepEqual((await post('/auth/verify', { token })).body, used)
    assert.equal(await statusOf(id), 'SUSPENDED')
    const made = await service.person()
    assert.equal(await statusOf(made.id), 'ACTIVE', 'whom an ADMIN makes may act at once')
  })
})

describe('a new address', () => {
  const patch = (person: { id: string; token: string }, body: object) =>
    service.ask('PATCH', `/api/v1/users/${person.id}`, { body, token: person.token })

  it('takes effect when its mail is answered; the old one is told before and after', async () => {
    const ann = await service.person()
    const reply = await patch(ann, { email: 'ann-new@example.com', name: 'Ann', currentPassword: password })
    assert.deepEqual([reply.status, reply.body.email, reply.body.name], [200, ann.email, 'Ann'])
    const { token } = await box.wait('ann-new@example.com')
    const told = await box.wait(ann.email)
    assert.equal(told.subject, 'A new e-mail address was asked for')
    assert.ok(told.text.includes('ann-new@example.com') && told.token === '')
    await service.logIn(ann.email)
    assert.equal((await post('/auth/verify', { token })).status, 204)
    await service.logIn('ann-new@example.com')
    await assert.rejects(service.logIn(ann.email), /401/)
    assert.equal((await box.wait(ann.email, 2)).subject, 'Your e-mail address was changed')
  })

  it('is asked for ten times a quarter of an hour; a refused one counts for nothing', async () => {
    const ann = await service.person()
    const ask = async (email: string) => (await patch(ann, { email, currentPassword: password })).status
    const [taken, statuses] = [await signUp('there@example.com'), [] as number[]]
    assert.equal(await ask(taken.email), 409)
    for (let i = 0; i < 11; i += 1) statuses.push(await ask(`ann-${i}@example.com`))
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429])
    await box.settle()
  })

  it('is refused where another user has it, now or by then, and stops with a new password', async () => {
    const [ann, bob] = [await service.person(), await service.person()]
    const taken = await patch(ann, { email: bob.email.toUpperCase(), currentPassword: password })
    assert.deepEqual([taken.status, taken.body], [409, { error: 'email is already taken' }])
    const admin = await service.admin()
    await patch(ann, { email: 'wanted@example.com', currentPassword: password })
    const { token } = await box.wait('wanted@example.com')
    assert.equal((await patch({ id: bob.id, token: admin.token }, { email: 'wanted@example.com' })).status, 200)
    assert.deepEqual((await post('/auth/verify', { token })).body, { error: 'email is already taken' })
    await patch({ id: bob.id, token: admin.token }, { email: bob.email })
    assert.equal((await patch(ann, { password: 'another horse', currentPassword: password })).status, 200)
    assert.deepEqual((await post('/auth/verify', { token })).body, used)
    assert.equal((await box.wait(bob.email)).subject, 'Your e-mail address was changed', 'an ADMIN changes at once')
  })

  it('is one and the same in GraphQL and PUT', async () => {
    const ann = await service.person()
    const query = `mutation { updateUser(id: "${ann.id}", input: { email: "graph@example.com", currentPassword: "${password}" }) { email } }`
    const reply = await service.ask('POST', '/graphql', { body: { query }, token: ann.token })
    assert.equal(reply.body.data?.updateUser.email, ann.email, reply.text)
    const put = await service.ask('PUT', `/api/v1/users/${ann.id}`, {
      body: { email: 'put@example.com', currentPassword: password },
      token: ann.token,
    })
    assert.equal(put.body.email, ann.email, put.text)
    await box.wait('graph@example.com')
    await box.wait('put@example.com')
  })

  it('stops with a new password while its mail still waits to be sent', async () => {
    const ann = await service.person()
    const admin = await service.admin()
    const [folder, aside] = [join(service.folder, 'mail'), join(service.folder, 'aside')]
    renameSync(folder, aside)
    writeFileSync(folder, 'mails cannot leave')
    await patch(ann, { email: 'late@example.com', currentPassword: password })
    while (service.logged.filter((line) => line.includes('A mail was not sent, and is tried again')).length < 2)
      await sleep(15)
    assert.equal((await patch({ id: ann.id, token: admin.token }, { password: 'another horse' })).status, 200)
    rmSync(folder)
    renameSync(aside, folder)
    service.turn(60 * 60_000)
    await post('/auth/forgot', { email: adminEmail }) // sends what is due, too
    await box.wait(adminEmail)
    await box.settle()
    assert.deepEqual(box.to('late@example.com'), [])
  })
})

it('where sign-ups need approval too, a proven address is not enough', async () => {
  const strict = await startService({ VERIFY_EMAIL: 'required', SIGN_UP: 'approval' })
  after(() => strict.stop())
  const own = mailboxOf(strict)
  const { body } = await strict.ask('POST', '/api/v1/users', { body: { email: 'dan@example.com', password } })
  const { token } = await own.wait('dan@example.com')
  assert.equal((await strict.ask('POST', '/auth/verify', { body: { token } })).status, 204)
  const { token: admin } = await strict.admin()
  assert.equal((await strict.ask('GET', `/api/v1/users/${body.id}`, { token: admin })).body.status, 'INACTIVE')
  assert.deepEqual((await strict.ask('POST', '/auth/verify', { body: { token } })).body, used)
})
