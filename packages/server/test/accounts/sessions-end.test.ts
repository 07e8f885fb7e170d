/**
 * A new password ends the user's sessions. So does a role that requires a second factor, for
 * sessions without one. Both hold for writes by every interface.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { permitAtConsole } from '../../src/command/console-records.ts'
import type { ImportLine } from '../../src/operation/operation.ts'
import { importLines } from '../../src/perform/imports/import-lines.ts'
import { equal } from '../../src/resource/condition.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { adminEmail, password, startService, type TestPerson, type TestService } from '../helpers/application.ts'

const stepMs = 30_000
type Changes = Readonly<Record<string, string>>
type Door = (service: TestService, admin: string, person: TestPerson, changes: Changes) => Promise<unknown>

/** The operator's import of one line. */
const byImport: Door = async ({ service: { engine } }, _admin, { id }, changes) => {
  const resource = engine.catalog.get('member')
  async function* lines(): AsyncGenerator<ImportLine> {
    yield { line: 1, text: '', parse: () => ({ id, ...changes }) }
  }
  const operation = { kind: 'import', resource, under: undefined, select: null, lines: lines() } as const
  const permitted = permitAtConsole(engine, operation)
  for await (const done of importLines(engine, permitted)) assert.deepEqual(done, { line: 1, done: 'updated' })
}

/** Writes by actions, by log-ins of others and by the service itself. */
const byRecord: Door = ({ service: { engine } }, _admin, { id }, changes) =>
  engine.records.transaction(serviceAuthor, async (tx) => {
    const resource = engine.catalog.get('member')
    const found = await tx.lock(resource, equal('id', id))
    assert.ok(found)
    await tx.change(resource, found.row, changes)
  })

function rest(method: string): Door {
  return async ({ ask }, token, { id, email }, changes) => {
    const body = method === 'PUT' ? { email, ...changes } : changes
    const reply = await ask(method, `/api/v1/members/${id}`, { body, token })
    assert.equal(reply.status, 200, reply.text)
  }
}

const byGraphql: Door = async ({ ask }, token, { id }, changes) => {
  const input = Object.entries(changes).map(
    ([name, value]) => `${name}: ${name === 'role' ? value : JSON.stringify(value)}`,
  )
  const query = `mutation { updateMember(id: "${id}", input: { ${input.join(', ')} }) { id } }`
  const { body } = await ask('POST', '/graphql', { body: { query }, token })
  assert.equal(body.data?.updateMember?.id, id, JSON.stringify(body))
}

const doors: Readonly<Record<string, Door>> = {
  'an update': rest('PATCH'),
  'a replace': rest('PUT'),
  GraphQL: byGraphql,
  'an import': byImport,
  'a write of the service': byRecord,
}

const statusOf = async ({ ask }: TestService, { id, token }: TestPerson) =>
  (await ask('GET', `/api/v1/members/${id}`, { token })).status
const refreshOf = async ({ ask }: TestService, { refreshToken }: TestPerson) =>
  (await ask('POST', '/auth/refresh', { cookie: `refreshToken=${refreshToken}` })).status

describe('a new password', () => {
  let service: TestService
  let admin: TestPerson
  before(async () => {
    service = await startService()
    admin = await service.admin()
  })
  after(() => service.stop())

  for (const [name, door] of Object.entries(doors)) {
    it(`by ${name} ends the sessions of its user, and no others`, async () => {
      const person = await service.person()
      const other = await service.logIn(person.email)
      const bystander = await service.person()
      await door(service, admin.token, person, { name: 'another name' })
      assert.deepEqual([await statusOf(service, person), await statusOf(service, other)], [200, 200])
      await door(service, admin.token, person, { password: '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA' })
      assert.deepEqual([await statusOf(service, person), await statusOf(service, other)], [401, 401])
      assert.deepEqual([await refreshOf(service, person), await refreshOf(service, other)], [401, 401])
      assert.deepEqual([await statusOf(service, bystander), await statusOf(service, admin)], [200, 200])
    })
  }
})

describe('a role that needs a second factor', () => {
  let service: TestService
  let admin: string
  before(async () => {
    service = await startService({ MFA: 'EDITOR' })
    const { ticket } = (await service.ask('POST', '/auth/login', { body: { email: adminEmail, password } })).body
    admin = (await enrol({ ticket })).body.accessToken
  })
  after(() => service.stop())

  const codeFor = (secret: string) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.now() })

  /** At log-in with a ticket, or while logged in. */
  async function enrol(body: object, token?: string) {
    const by = token === undefined ? {} : { token }
    const begun = await service.ask('POST', '/api/v1/proofs', { body: { type: 'totp', ...body }, ...by })
    assert.equal(begun.status, 200, begun.text)
    const finish = { ticket: begun.body.ticket, code: codeFor(begun.body.secret) }
    const ended = await service.ask('POST', '/api/v1/proofs/finish', { body: finish, ...by })
    assert.equal(ended.status, 201, ended.text)
    service.turn(stepMs)
    return { body: ended.body, secret: begun.body.secret as string }
  }

  let people = 0
  async function person(): Promise<TestPerson> {
    people += 1
    const email = `member${people}@example.com`
    assert.equal((await service.ask('POST', '/api/v1/members', { body: { email, password } })).status, 201)
    return service.logIn(email)
  }

  async function logInWith(secret: string, { id, email }: TestPerson): Promise<TestPerson> {
    const { ticket } = (await service.ask('POST', '/auth/login', { body: { email, password } })).body
    const reply = await service.ask('POST', '/auth/factor', { body: { ticket, code: codeFor(secret) } })
    assert.equal(reply.status, 200, reply.text)
    service.turn(stepMs)
    return { id, email, token: reply.body.accessToken, refreshToken: reply.body.refreshToken }
  }

  for (const [name, door] of Object.entries(doors)) {
    it(`ends sessions by a password alone, where ${name} gives it`, async () => {
      const one = await person()
      await door(service, admin, one, { role: 'EDITOR' })
      assert.deepEqual([await statusOf(service, one), await refreshOf(service, one)], [401, 401])
    })
  }

  it('leaves sessions in which one was shown, at the log-in or since', async () => {
    const password1 = await person()
    const enrolled = await service.logIn(password1.email)
    const { secret } = await enrol({ currentPassword: password }, enrolled.token)
    const shown = await logInWith(secret, password1)
    await byRecord(service, admin, password1, { role: 'ADMIN' })
    assert.deepEqual(
      [await statusOf(service, password1), await statusOf(service, enrolled), await statusOf(service, shown)],
      [401, 200, 200],
    )
    assert.equal(await refreshOf(service, shown), 200)
  })

  it('ends them where the factor has gone since', async () => {
    const one = await person()
    const { body } = await enrol({ currentPassword: password }, one.token)
    const gone = await service.ask('DELETE', `/api/v1/proofs/${body.id}`, {
      body: { currentPassword: password },
      token: one.token,
    })
    assert.equal(gone.status, 204, gone.text)
    await byRecord(service, admin, one, { role: 'EDITOR' })
    assert.equal(await statusOf(service, one), 401)
  })

  it('is the only one that ends any', async () => {
    const one = await person()
    await byRecord(service, admin, one, { name: 'another name', email: 'other@example.com' })
    assert.equal(await statusOf(service, one), 200)
    const editor = await logInWith((await enrol({ currentPassword: password }, one.token)).secret, {
      ...one,
      email: 'other@example.com',
    })
    await byRecord(service, admin, one, { role: 'ADMIN' })
    await byRecord(service, admin, one, { role: 'USER' })
    assert.equal(await statusOf(service, editor), 200)
  })
})
