/**
 * `MFA`: a user who must have a second factor enrols it before any other request. With more than
 * one instance, or a changed secret, each code is accepted once.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { replaceSecret } from '../../src/accounts/tokens/stored-secrets.ts'
import { readConfig } from '../../src/config.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { makeRoles } from '../../src/resource/rules/role-order.ts'
import { settleRoles } from '../../src/settings/role-settings.ts'
import { keepSecret } from '../../src/storage/open.ts'
import { databaseOf } from '../../src/testing/database.ts'
import { resources } from '../application/resources/index.ts'
import { adminEmail, password, startService, type TestService } from '../helpers/application.ts'

const base = '/api/v1/proofs'
const roles = makeCatalog(resources).roles
const stepMs = 30_000
type Asking = Pick<TestService, 'ask'>

const logIn = ({ ask }: Asking, email: string) => ask('POST', '/auth/login', { body: { email, password } })
const second = ({ ask }: Asking, body: object) => ask('POST', '/auth/factor', { body })
const codeFor = (secret: string, atMs: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMs })

async function enrolAtLogIn(service: TestService, email: string) {
  const first = await logIn(service, email)
  assert.equal(first.status, 401, first.text)
  assert.deepEqual([first.body.next, first.body.factors.includes('totp')], ['enrol', true])
  const { ticket } = first.body
  const begun = await service.ask('POST', base, { body: { ticket, type: 'totp' } })
  assert.equal(begun.status, 200, begun.text)
  const finish = { ticket: begun.body.ticket, code: codeFor(begun.body.secret, service.now()) }
  const ended = await service.ask('POST', `${base}/finish`, { body: finish })
  assert.equal(ended.status, 201, ended.text)
  service.turn(stepMs)
  return { ticket, begun: begun.body, finish, ended }
}

describe('a required second factor', async () => {
  const service = await startService({ MFA: 'EDITOR' })
  after(() => service.stop())

  it('is enrolled at the log-in, which opens nothing else', async () => {
    const first = await logIn(service, adminEmail)
    const { ticket } = first.body
    for (const [path, options] of [
      ['/auth/factor', { body: { ticket, code: '123456' } }],
      ['/auth/factor', { body: { ticket, recoveryCode: '0000-0000-0000-0000' } }],
      ['/auth/refresh', { body: { refreshToken: ticket } }],
      [base, { body: { ticket, type: 'totp' }, token: ticket }],
      [`${base}/recovery-codes`, { body: { ticket } }],
      [`${base}/finish`, { body: { ticket, code: '123456' } }],
      ['/api/v1/members', { token: ticket }],
    ] as const)
      assert.equal((await service.ask('POST', path, options)).status, 401, path)

    const { ended, finish, ticket: used } = await enrolAtLogIn(service, adminEmail)
    const { accessToken: token, recoveryCodes } = ended.body
    assert.equal(recoveryCodes.length, 10)
    assert.match(ended.headers.get('set-cookie') ?? '', /^refreshToken=.*Path=\/api\/v1\/auth;/)
    assert.equal((await service.ask('GET', '/api/v1/members', { token })).status, 200)
    assert.equal((await service.ask('POST', `${base}/finish`, { body: finish })).status, 401)
    const late = await service.ask('POST', base, { body: { ticket: used, type: 'totp' } })
    const another = { ticket: late.body.ticket, code: codeFor(late.body.secret, service.now()) }
    assert.equal((await service.ask('POST', `${base}/finish`, { body: another })).status, 401, 'no other beside it')
    assert.equal((await logIn(service, adminEmail)).body.next, 'totp')
    const [factor] = (await service.ask('GET', base, { token })).body.data
    const last = await service.ask('DELETE', `${base}/${factor.id}`, { token, body: { currentPassword: password } })
    assert.deepEqual(
      [last.status, last.body.error],
      [409, 'ADMIN needs a second factor, and this is the last; enrol another first'],
    )
  })

  it('is that of a role and the higher ones', async () => {
    const body = { email: 'reader@example.com', password }
    const made = await service.ask('POST', '/api/v1/members', { body })
    assert.equal(made.status, 201)
    assert.equal((await logIn(service, body.email)).status, 200)
    for (const [text, from] of [
      ['required', 'everyone'],
      ['USER', 'everyone'],
      ['ADMIN', ['ADMIN']],
      ['ADMIN, EDITOR', ['EDITOR', 'ADMIN']],
      ['off', undefined],
      ['', undefined],
    ] as const)
      assert.deepEqual(settleRoles(readConfig({ MFA: text }), roles).mfaFor, from)
    const sets = makeRoles({ GUEST: [], COACH: ['a'], TREASURER: ['b'], BOARD: ['a', 'b'] }, 'BOARD')
    for (const [text, from] of [
      ['COACH', ['COACH', 'BOARD']],
      ['BOARD', ['BOARD']],
      ['TREASURER,COACH', ['COACH', 'TREASURER', 'BOARD']],
      ['GUEST', 'everyone'],
    ] as const)
      assert.deepEqual(settleRoles(readConfig({ MFA: text }), sets).mfaFor, from)
    const without = makeRoles({ COACH: ['a'], TREASURER: ['b'] }, 'COACH')
    const oidc = { OIDC_PROVIDERS: 'google', OIDC_GOOGLE_CLIENT_ID: 'x', OIDC_GOOGLE_ROLES: 'groups:a=COACH' }
    assert.equal(settleRoles(readConfig(oidc), sets).mfaFor, undefined)
    assert.throws(
      () => settleRoles(readConfig(oidc), without),
      /^StartError: OIDC_GOOGLE_ROLES needs a role without abilities, for people to whom the claims give none: GUEST: \[\]; there are COACH, TREASURER/,
    )
    assert.throws(
      () => settleRoles(readConfig({ MFA: 'admins' }), roles),
      /^StartError: MFA must be off, required, or roles of USER, EDITOR, ADMIN; admins is none/,
    )
    for (const bad of ['shop.example', 'http://shop.example', 'https://a@shop.example', 'https://shop.example/?a'])
      assert.throws(() => readConfig({ PUBLIC_URL: bad }), /^StartError: PUBLIC_URL must be an address such as/, bad)
    assert.equal(readConfig({ PUBLIC_URL: 'https://shop.example/' }).publicUrl, 'https://shop.example')
  })

  it('needs factors', async () => {
    const { people } = await import('../service/people.ts')
    const { startService: startOf } = await import('../../src/testing/index.ts')
    await assert.rejects(
      startOf(people, { env: { MFA: 'ADMIN' } }).then((one) => one.stop()),
      { message: 'MFA needs second factors: accounts({ …, factors: true }) has them' },
    )
  })
})

describe('several instances', async () => {
  const service = await startService({ MFA: 'required', JWT_SECRET: 'a'.repeat(40) })
  const beside = (env: Record<string, string>) =>
    startService({ DATA_DIR: service.folder, ...env }, { clock: () => service.now() })
  const others: readonly [TestService, TestService, TestService] = [
    await beside({ JWT_SECRET: 'a'.repeat(40) }),
    await beside({ JWT_SECRET: 'b'.repeat(40), JWT_SECRET_PREVIOUS: 'a'.repeat(40) }),
    await beside({ JWT_SECRET: 'b'.repeat(40) }),
  ]
  const [twin, rotated, forgetful] = others
  after(async () => {
    for (const one of others) await one.stop()
    await service.stop()
  })

  it('take a code once, and a recovery code', async () => {
    const { begun, ended } = await enrolAtLogIn(service, adminEmail)
    const { ticket } = (await logIn(service, adminEmail)).body
    for (const proof of [
      { code: codeFor(begun.secret, service.now()) },
      { recoveryCode: ended.body.recoveryCodes[0] as string },
    ]) {
      const all = await Promise.all(
        Array.from({ length: 6 }, (_, i) => second(i % 2 === 0 ? service : twin, { ticket, ...proof })),
      )
      assert.deepEqual(all.map(({ status }) => status).sort(), [200, 401, 401, 401, 401, 401])
    }
  })

  it('open with the secret before, and seal with the new one', async () => {
    const member = { email: 'one@example.com', password }
    assert.equal((await service.ask('POST', '/api/v1/members', { body: member })).status, 201)
    const { begun, ended } = await enrolAtLogIn(service, member.email)
    const codeAt = (aside: number) => codeFor(begun.secret, service.now() + aside)
    const by = async (instance: Asking, proof: object) =>
      second(instance, { ticket: (await logIn(instance, member.email)).body.ticket, ...proof })
    assert.equal((await by(forgetful, { code: codeAt(0) })).status, 401, 'whose secret is gone')
    assert.equal((await by(rotated, { code: codeAt(0) })).status, 200)
    assert.equal((await by(forgetful, { code: codeAt(stepMs) })).status, 200, 'sealed anew at its use')
    assert.equal((await by(forgetful, { recoveryCode: ended.body.recoveryCodes[1] })).status, 200)
  })
})

describe('a generated secret that was replaced at once', async () => {
  const service = await startService({ MFA: 'required' })
  after(() => service.stop())

  it('still opens the keys of apps, and signs and checks nothing', async () => {
    const { begun, ended } = await enrolAtLogIn(service, adminEmail)
    const token = ended.body.accessToken as string
    assert.equal((await service.ask('GET', '/api/v1/members', { token })).status, 200)
    // As `bindery secrets rotate --now` does.
    const { database } = readConfig({ DATA_DIR: service.folder, ...(await databaseOf(service.folder)) })
    const kept = replaceSecret(await keepSecret(database, ''), 'n'.repeat(64), { graceMs: 0, nowMs: Date.now() })
    await database.kind.replaceSecret(database.setup, kept)
    const next = await startService({ DATA_DIR: service.folder }, { clock: () => service.now() })
    try {
      assert.equal((await next.ask('GET', '/api/v1/members', { token })).status, 401)
      const { ticket } = (await logIn(next, adminEmail)).body
      const shown = { ticket, code: codeFor(begun.secret, service.now()) }
      assert.equal((await second(next, shown)).status, 200)
    } finally {
      await next.stop()
    }
  })
})
