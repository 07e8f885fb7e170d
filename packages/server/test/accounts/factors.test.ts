/**
 * Second factors by authenticator app (TOTP): enrolled, required at every log-in, accepted once,
 * lost and recovered.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { base32Of, codeOf } from '../../src/accounts/factors/totp.ts'
import { createClient, nextStepOf } from '../../src/client/index.ts'
import { password, startService, type TestPerson, type TestService } from '../helpers/application.ts'

const base = '/api/v1/proofs'
const stepMs = 30_000

/** An authenticator app of another make. */
function app(secret: string, service: TestService) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return (asideMs = 0) => totp.generate({ timestamp: service.now() + asideMs })
}

async function enrol(service: TestService, person: Pick<TestPerson, 'token'>, name?: string) {
  const begun = await service.ask('POST', base, {
    token: person.token,
    body: { type: 'totp', currentPassword: password, ...(name && { name }) },
  })
  assert.equal(begun.status, 200, begun.text)
  const code = app(begun.body.secret, service)
  const ended = await service.ask('POST', `${base}/finish`, {
    token: person.token,
    body: { ticket: begun.body.ticket, code: code() },
  })
  assert.equal(ended.status, 201, ended.text)
  service.turn(stepMs)
  return { code, id: ended.body.id as string, recoveryCodes: ended.body.recoveryCodes as string[], begun: begun.body }
}

const logIn = (service: TestService, email: string, secret = password) =>
  service.ask('POST', '/auth/login', { body: { email, password: secret } })
const second = (service: TestService, body: object) => service.ask('POST', '/auth/factor', { body })

describe('codes of RFC 6238', () => {
  it('are those of its appendix, and of RFC 4226', () => {
    const secret = Buffer.from('12345678901234567890')
    const hotp = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489']
    assert.deepEqual(
      hotp.map((_, step) => codeOf(secret, step)),
      hotp,
    )
    for (const [seconds, code] of [
      [59, '287082'],
      [1111111109, '081804'],
      [1111111111, '050471'],
      [1234567890, '005924'],
      [2000000000, '279037'],
      [20000000000, '353130'],
    ] as const)
      assert.equal(codeOf(secret, Math.floor(seconds / 30)), code)
    assert.equal(base32Of(Buffer.from('12345678901234567890')), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  })
})

describe('second factors', async () => {
  const service = await startService({ PUBLIC_URL: 'https://library.example/' })
  after(() => service.stop())

  it('change nothing for whoever has none', async () => {
    const { email } = await service.person()
    const reply = await logIn(service, email)
    assert.deepEqual(Object.keys(reply.body), ['accessToken', 'refreshToken'])
    assert.equal((await logIn(service, email, 'wrong guess')).text, '{"error":"Invalid credentials"}')
  })

  it('are asked for after the right password alone, and end the log-in', async () => {
    const person = await service.person()
    const { code, begun } = await enrol(service, person, 'My phone')
    assert.match(begun.address, /^otpauth:\/\/totp\/library\.example:person\d+%40example\.com\?secret=[A-Z2-7]{32}&/)
    const first = await logIn(service, person.email)
    assert.equal(first.status, 401)
    assert.equal(first.headers.get('set-cookie'), null)
    assert.deepEqual(Object.keys(first.body), ['error', 'next', 'factors', 'ticket'])
    const { next, factors, ticket } = first.body
    assert.deepEqual([next, factors], ['totp', ['totp']])
    assert.equal((await logIn(service, person.email, 'wrong guess')).text, '{"error":"Invalid credentials"}')

    const wrong = await second(service, { ticket, code: code(90_000) })
    assert.equal(wrong.text, '{"error":"Invalid code"}')
    const right = await second(service, { ticket, code: code() })
    assert.equal(right.status, 200, right.text)
    assert.deepEqual(Object.keys(right.body), ['accessToken', 'refreshToken'])
    assert.match(right.headers.get('set-cookie') ?? '', /^refreshToken=.*Path=\/auth;.*HttpOnly/)
    assert.equal((await second(service, { ticket, code: code() })).status, 401, 'a code is taken once')
    assert.equal((await service.ask('GET', base, { token: right.body.accessToken })).body.data[0].name, 'My phone')
    assert.equal((await service.ask('GET', base, { token: person.token })).status, 200, 'a session of before goes on')
  })

  it('are a second call of the client', async () => {
    const person = await service.person()
    const { code } = await enrol(service, person)
    const client = createClient({ url: service.url })
    const refused = await client
      .logIn({ email: person.email, password: 'wrong guess' })
      .catch((error: unknown) => error)
    assert.equal(nextStepOf(refused), undefined)
    const due = nextStepOf(await client.logIn({ email: person.email, password }).catch((error: unknown) => error))
    assert.deepEqual([due?.next, due?.factors], ['totp', ['totp']])
    const session = await client.logIn({ ticket: due?.ticket ?? '', code: code() })
    assert.equal(session?.email, person.email)
    assert.equal((await client.get('/api/v1/proofs')).data.length, 1)
  })

  it('take the code before and the one after, each once, and none further away', async () => {
    const person = await service.person()
    const { code } = await enrol(service, person)
    service.turn(3 * stepMs)
    const ticket = (await logIn(service, person.email)).body.ticket
    for (const [aside, status] of [
      [-2, 401],
      [2, 401],
      [-1, 200],
      [-1, 401],
      [1, 200],
      [0, 401], // older than the one that was taken
      [1, 401],
    ] as const)
      assert.equal((await second(service, { ticket, code: code(aside * stepMs) })).status, status, `${aside}`)
  })

  it('end no log-in that began before a suspension, after it was taken back', async () => {
    const person = await service.person()
    const { code } = await enrol(service, person)
    const { ticket } = (await logIn(service, person.email)).body
    const { token } = await service.admin()
    const path = `/api/v1/members/${person.id}`
    for (const status of ['BARRED', 'ACTIVE'])
      assert.equal((await service.ask('PATCH', path, { token, body: { status } })).status, 200)
    const late = await second(service, { ticket, code: code() })
    assert.deepEqual([late.status, late.body], [401, { error: 'Invalid credentials' }])
  })

  it('have ten recovery codes, each good once', async () => {
    const person = await service.person()
    const { recoveryCodes, code } = await enrol(service, person)
    assert.equal(new Set(recoveryCodes).size, 10)
    for (const one of recoveryCodes) assert.match(one, /^[0-9a-z]{4}(-[0-9a-z]{4}){5}$/)
    const by = async (recoveryCode: string) =>
      second(service, { ticket: (await logIn(service, person.email)).body.ticket, recoveryCode })
    assert.equal((await by('0000-0000-0000-0000')).text, '{"error":"Invalid recovery code"}')
    const [first = '', next = ''] = recoveryCodes
    assert.equal((await by(first.toUpperCase().replaceAll('-', ' '))).status, 200)
    assert.equal((await by(first)).status, 401)
    const renewed = await service.ask('POST', `${base}/recovery-codes`, { token: person.token, body: { code: code() } })
    assert.equal(renewed.status, 200, renewed.text)
    assert.equal((await by(next)).status, 401, 'the old ones are gone')
    assert.equal((await by(renewed.body.recoveryCodes[9])).status, 200)
    const other = await service.person()
    const none = await service.ask('POST', `${base}/recovery-codes`, {
      token: other.token,
      body: { currentPassword: password },
    })
    assert.deepEqual([none.status, none.body.error], [409, 'Recovery codes stand in for a factor; enrol one first'])
  })

  it('are enrolled and removed by their owner, who shows the password or a factor', async () => {
    const person = await service.person()
    const ask = (method: string, path: string, body?: object, token = person.token) =>
      service.ask(method, path, { token, ...(body && { body }) })
    const said = async (promise: ReturnType<typeof ask>) => {
      const { status, body } = await promise
      return `${status} ${body?.error}`
    }
    assert.equal(await said(ask('POST', base, { type: 'totp' })), '403 currentPassword is required')
    assert.equal(
      await said(ask('POST', base, { type: 'totp', currentPassword: 'wrong' })),
      '403 currentPassword is wrong',
    )
    assert.equal(await said(ask('POST', base, { type: 'sms' })), '400 type must be one of totp, passkey')
    assert.equal(await said(service.ask('POST', base, { body: { type: 'totp' } })), '401 Token required')
    const { id, code } = await enrol(service, person)
    assert.equal(await said(ask('POST', base, { type: 'totp', code: '000000' })), '403 code is wrong')
    const begun = await ask('POST', base, { type: 'totp', name: 'Tablet', code: code() })
    service.turn(stepMs)
    const stranger = await service.person()
    const finish = { ticket: begun.body.ticket, code: app(begun.body.secret, service)() }
    assert.equal(await said(ask('POST', `${base}/finish`, finish, stranger.token)), '403 Insufficient permissions')
    assert.equal(await said(ask('POST', `${base}/finish`, { ...finish, code: '000000' })), '401 Invalid code')
    const tablet = await ask('POST', `${base}/finish`, finish)
    assert.deepEqual([tablet.status, Object.keys(tablet.body)], [201, ['id', 'type', 'name']], 'codes only once')
    assert.equal(await said(ask('POST', `${base}/finish`, finish)), '409 This factor is enrolled already')

    const listed = await ask('GET', base)
    assert.deepEqual(
      listed.body.data.map((one: object) => Object.keys(one)),
      [0, 1].map(() => ['id', 'userId', 'type', 'name', 'createdAt', 'lastUsedAt']),
    )
    assert.equal((await ask('GET', base, undefined, stranger.token)).body.data.length, 0)
    assert.equal(await said(ask('DELETE', `${base}/${id}`, undefined, stranger.token)), '404 Proof not found')
    assert.equal(await said(ask('DELETE', `${base}/${id}`)), '403 currentPassword is required')
    assert.equal(await said(ask('DELETE', `${base}/${id}`, { currentPassword: 'no' })), '403 currentPassword is wrong')
    const batch = { operations: [{ method: 'DELETE', path: `/proofs/${id}`, body: { currentPassword: password } }] }
    assert.match(
      await said(ask('POST', '/api/v1/batch', batch)),
      /^400 .*delete of proofs is not possible in a batch; send it alone/,
    )
    assert.equal((await ask('DELETE', `${base}/${id}`, { currentPassword: password })).status, 204)
    assert.equal((await logIn(service, person.email)).body.next, 'totp', 'the tablet is left')
    const admin = await service.admin()
    assert.equal(
      await said(ask('DELETE', `${base}/${tablet.body.id}`, { currentPassword: password }, admin.token)),
      '400 Unknown field currentPassword',
    )
    assert.equal((await ask('DELETE', `${base}/${tablet.body.id}`, undefined, admin.token)).status, 204)
    assert.equal((await logIn(service, person.email)).status, 200, 'an ADMIN helps whoever lost a phone')
    const again = await enrol(service, person)
    assert.equal(again.recoveryCodes.length, 10, 'the old codes went with the last factor')
  })

  it('are no business of keys without the scope for credentials', async () => {
    const person = await service.person()
    const { id } = await enrol(service, person)
    for (const [scopes, status] of [
      [undefined, 403],
      [['proofs:*'], 403],
      [['credentials:write'], 200],
    ] as const) {
      const key = await service.key(person, scopes && { scopes })
      const reply = await service.ask('POST', base, { key, body: { type: 'totp', currentPassword: password } })
      assert.equal(reply.status, status, reply.text)
      const removed = await service.ask('DELETE', `${base}/${id}`, { key, body: { currentPassword: password } })
      assert.equal(removed.status, status === 200 ? 204 : status, removed.text)
    }
  })

  it('are in no answer, list, log or document of GraphQL', async () => {
    const person = await service.person()
    const { begun, recoveryCodes } = await enrol(service, person)
    const resource = service.service.engine.catalog.get('proof')
    const rows = await service.service.engine.storage.list(resource, {
      where: { kind: 'compare', field: 'userId', operator: 'eq', value: person.id },
      sort: [],
      limit: 9,
      after: null,
    })
    const stored = JSON.stringify(rows)
    assert.ok(!stored.includes(begun.secret) && !stored.includes(recoveryCodes[0] as string))
    const logged = service.logged.join('\n')
    for (const secret of [begun.secret, begun.ticket, recoveryCodes[0] as string]) assert.ok(!logged.includes(secret))
    const query = '{ __type(name: "Proof") { fields { name } } }'
    const { body } = await service.ask('POST', '/graphql', { body: { query } })
    assert.deepEqual(
      body.data.__type.fields
        .map(({ name }: { name: string }) => name)
        .filter((name: string) => /secret|hash/.test(name)),
      [],
    )
    const mutation = `mutation { deleteProof(id: "${(rows[0] as { id?: string }).id}") { id } }`
    const refused = await service.ask('POST', '/graphql', { body: { query: mutation }, token: person.token })
    assert.equal(refused.body.errors[0].message, 'currentPassword is required')
  })

  it('take a ticket for five minutes, of this log-in, for this account as it is', async () => {
    const person = await service.person()
    const other = await service.person()
    const { code } = await enrol(service, person)
    const { code: othersCode } = await enrol(service, other)
    const { ticket } = (await logIn(service, person.email)).body
    const { ticket: enrolling } = (
      await service.ask('POST', base, { token: other.token, body: { type: 'totp', currentPassword: password } })
    ).body
    const { ticket: asking } = (await service.ask('POST', '/auth/passkey', { body: {} })).body
    for (const bad of [
      'x',
      `${ticket.startsWith('A') ? 'B' : 'A'}${ticket.slice(1)}`,
      ticket.slice(0, 40),
      enrolling,
      asking,
      person.token,
      'A'.repeat(4000),
    ]) {
      const reply = await second(service, { ticket: bad, code: code() })
      assert.equal(reply.text, '{"error":"Invalid ticket"}', bad)
    }
    assert.equal((await second(service, { ticket, code: othersCode() })).text, '{"error":"Invalid code"}')
    for (const [body, says] of [
      [{ ticket }, 'One of code, recoveryCode, passkey is required'],
      [{ code: '123456' }, 'ticket is required'],
      [{ ticket, code: '1', recoveryCode: '2' }, 'Send one of code, recoveryCode, passkey'],
      [{ ticket, code: 123456 }, 'code must be a string'],
      [{ ticket, code: '1', extra: 1 }, 'Unknown field extra'],
      [{ ticket, passkey: 'x' }, 'passkey must be an object'],
    ] as const) {
      const reply = await second(service, body)
      assert.deepEqual([reply.status, reply.body.error], [400, says])
    }
    const changed = await service.ask('PATCH', `/api/v1/members/${person.id}`, {
      token: person.token,
      body: { password: 'another horse', currentPassword: password },
    })
    assert.equal(changed.status, 200)
    assert.equal((await second(service, { ticket, code: code() })).status, 401, 'the password is another one')
    const later = (await logIn(service, person.email, 'another horse')).body.ticket
    service.turn(5 * 60_000 + 1)
    assert.equal((await second(service, { ticket: later, code: code() })).text, '{"error":"Invalid ticket"}')
  })

  it('have ten guesses in a quarter of an hour, which nothing but a right one renews', async () => {
    const person = await service.person()
    const { code, id } = await enrol(service, person)
    const change = (body: object) => service.ask('PATCH', `/api/v1/members/${person.id}`, { token: person.token, body })
    for (let i = 0; i < 10; i += 1) {
      const { ticket } = (await logIn(service, person.email)).body
      assert.equal((await second(service, { ticket, code: code(3_600_000) })).status, 401, `guess ${i}`)
    }
    const full = async (secret = password) => {
      const entering = await logIn(service, person.email, secret)
      assert.deepEqual([entering.status, entering.body.next], [401, 'totp'], 'the password is not what was wrong')
      assert.equal((await second(service, { ticket: entering.body.ticket, code: code() })).status, 429)
    }
    const removal = (body: object) =>
      service.ask('DELETE', `${base}/${id}`, { token: person.token, body }).then(({ status }) => status)
    await full()
    assert.equal(await removal({ code: code() }), 429, 'nor beside a token')
    assert.equal((await change({ currentPassword: password, password: 'another horse' })).status, 200)
    await full('another horse')
    assert.equal((await change({ currentPassword: 'another horse', password, email: 'moved@example.com' })).status, 200)
    person.email = 'moved@example.com'
    await full()
    await service.service.engine.identity.sessions?.forgive(person.email)
    await full()
    service.turn(16 * 60_000)
    const { ticket } = (await logIn(service, person.email)).body
    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, i) => second(service, { ticket, code: code((i + 10) * stepMs) })),
    )
    assert.equal(guesses.filter(({ status }) => status === 401).length, 10, 'of many at once too')
    assert.equal((await second(service, { ticket, code: code() })).status, 429)
    service.turn(16 * 60_000)
    const again = (await logIn(service, person.email)).body.ticket
    assert.equal((await second(service, { ticket: again, code: code() })).status, 200)
    assert.equal((await logIn(service, person.email)).status, 401, 'and counts anew afterwards')
  })
})
