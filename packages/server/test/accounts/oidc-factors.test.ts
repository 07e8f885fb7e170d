/**
 * Log-ins by OpenID providers require second factors as passwords do. A user without a password
 * confirms a change of log-ins by a recent log-in or a factor.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { password, startService as startOf, type TestService } from '../../src/testing/index.ts'
import { resources } from '../helpers/application.ts'
import { type Claims, type Issuer, makeBrowser, providerEnv, startIssuer } from '../helpers/oidc-issuer.ts'
import { links } from '../service/people.ts'

const base = '/api/v1/proofs'
const stepMs = 30_000
let corp: Issuer
let club: Issuer
let service: TestService
before(async () => {
  ;[corp, club] = await Promise.all([startIssuer({ inIdToken: true }), startIssuer()])
  const env = {
    OIDC_PROVIDERS: 'corp,club',
    MFA: 'ADMIN',
    ...providerEnv('CORP', corp.url, { OIDC_CORP_ROLES: 'groups:admins=ADMIN' }),
    ...providerEnv('CLUB', club.url),
  }
  service = await startOf([...resources, links], { env })
})
after(async () => {
  await service?.stop()
  await Promise.all([corp?.stop(), club?.stop()])
})

type Reply = Awaited<ReturnType<TestService['ask']>>
const verified = (email: string, more = {}) => ({ email, email_verified: true, ...more })
const post = (path: string, body: object, token?: string) =>
  service.ask('POST', path, { body, ...(token && { token }) })
const saysOf = ({ status, body }: Reply) => [status, body.error]
const idOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).userId
const fromBrowser = { 'sec-fetch-site': 'same-origin' }

/** The app of a factor, which shows the next code each time. */
function appOf(secret: string) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return () => {
    service.turn(stepMs)
    return totp.generate({ timestamp: service.now() })
  }
}

async function arrive(as: string, name = 'corp', headers = {}) {
  const browser = makeBrowser()
  const back = await browser.logIn(`${service.url}/auth/oidc/${name}`, as)
  const reply = await browser.go(back, { headers })
  return { status: reply.status, body: JSON.parse(reply.text), cookies: reply.headers.getSetCookie(), browser }
}

/** Enrols the first factor of a logged-in user, confirmed by `proof`. */
async function enrol(token: string, proof: object = {}) {
  const begun = await post(base, { type: 'totp', ...proof }, token)
  assert.equal(begun.status, 200, begun.text)
  const code = appOf(begun.body.secret)
  const ended = await post(`${base}/finish`, { ticket: begun.body.ticket, code: code() }, token)
  assert.equal(ended.status, 201, ended.text)
  return { code, recoveryCodes: ended.body.recoveryCodes as string[], id: ended.body.id as string }
}

/** A user that the provider vouches for, with a factor and no password. */
async function personOf(name: string, groups: readonly string[] = []) {
  corp.people[name] = verified(`${name}@corp.example`, { groups })
  const token = (await arrive(name)).body.accessToken as string
  return { token, userId: idOf(token) as string, ...(await enrol(token)) }
}

describe('a second factor at a log-in by a provider', () => {
  it('is asked for, and ends the log-in with a session', async () => {
    const { code, recoveryCodes } = await personOf('ann')
    const due = await arrive('ann')
    const { error, next, factors, ticket } = due.body
    assert.deepEqual([due.status, error, next, factors], [401, 'A second factor is required', 'totp', ['totp']])
    assert.ok(!due.cookies.some((line) => /^refreshToken=[^;]/.test(line)))
    assert.deepEqual(saysOf(await post('/auth/factor', { ticket, code: '000000' })), [401, 'Invalid code'])
    const ended = await post('/auth/factor', { ticket, code: code() })
    assert.deepEqual([ended.status, Object.keys(ended.body)], [200, ['accessToken', 'refreshToken']])
    const other = (await arrive('ann')).body.ticket
    const recoveryCode = recoveryCodes[0]
    assert.equal((await post('/auth/factor', { ticket: other, recoveryCode })).status, 200)
    assert.equal((await post('/auth/factor', { ticket: other, recoveryCode })).status, 401)
    assert.equal((await post('/auth/factor', { ticket: 'x', code: code() })).status, 401)
  })

  it('sends a browser on with the step and its choice in the fragment', async () => {
    const browser = makeBrowser('text/html')
    const ended = await browser.go(await browser.logIn(`${service.url}/auth/oidc/corp?returnTo=/app`, 'ann'))
    const to = new URL(ended.headers.get('location') ?? '', service.url)
    const said = new URLSearchParams(to.hash.slice(1))
    assert.deepEqual(
      [ended.status, to.pathname, to.search, said.get('next'), said.get('factors')],
      [303, '/app', '', 'totp', 'totp'],
    )
    assert.equal(browser.cookie(service.url, 'refreshToken'), undefined)
    const wrong = await post('/auth/factor', { ticket: said.get('ticket'), code: '12' })
    assert.deepEqual(saysOf(wrong), [401, 'Invalid code'])
  })

  it('is enrolled first where the role needs one, and opens nothing else', async () => {
    corp.people.bea = verified('bea@corp.example', { groups: ['admins'] })
    const due = await arrive('bea')
    const { error, next, ticket } = due.body
    assert.deepEqual([due.status, error, next], [401, 'A second factor must be enrolled first', 'enrol'])
    assert.deepEqual(saysOf(await post('/auth/factor', { ticket, code: '123456' })), [401, 'Invalid ticket'])
    const begun = await post(base, { ticket, type: 'totp' })
    assert.equal(begun.status, 200, begun.text)
    const code = appOf(begun.body.secret)
    const ended = await post(`${base}/finish`, { ticket: begun.body.ticket, code: code() })
    assert.equal(ended.status, 201, ended.text)
    const { accessToken: token } = ended.body
    assert.equal((await service.ask('GET', '/api/v1/members', { token })).status, 200)
    assert.equal((await arrive('bea')).body.next, 'totp')

    const cy = await personOf('cy')
    const meanwhile = (await arrive('cy')).body
    assert.equal((await post(`/api/v1/members/${cy.userId}/bar`, {}, token)).status, 200)
    assert.equal((await post('/auth/factor', { ticket: meanwhile.ticket, code: cy.code() })).status, 401, 'too late')
    assert.deepEqual((await arrive('cy')).body, { error: 'The account is not active' })
  })

  it('is guessed ten times, and a browser that was let in before has ten of its own', async () => {
    const { code } = await personOf('dan')
    const first = (await arrive('dan')).body.ticket
    const letIn = await service.ask('POST', '/auth/factor', {
      body: { ticket: first, code: code() },
      headers: fromBrowser,
    })
    const device = letIn.headers.getSetCookie().find((line) => line.startsWith('device=')) ?? ''
    assert.match(device, /^device=[\w.-]{66}; Max-Age=15552000; Path=\/auth; HttpOnly; SameSite=Strict$/)
    const { ticket } = (await arrive('dan')).body
    for (let i = 0; i < 10; i += 1) assert.equal((await post('/auth/factor', { ticket, code: '000000' })).status, 401)
    assert.equal((await post('/auth/factor', { ticket, code: code() })).status, 429)
    // The browser sends the cookie when it leaves, and none when the provider sends it back.
    const browser = makeBrowser()
    const begun = await fetch(`${service.url}/auth/oidc/corp`, {
      redirect: 'manual',
      headers: { cookie: device.split(';')[0] as string },
    })
    const flow = begun.headers.getSetCookie()[0]?.split(';')[0] as string
    const back = await browser.logIn(`${service.url}/auth/oidc/corp`, 'dan', (away) => {
      away.search = new URL(begun.headers.get('location') as string).search
    })
    const due = await fetch(back, { headers: { cookie: flow, accept: 'application/json' } })
    const known = ((await due.json()) as { ticket: string }).ticket
    assert.equal((await post('/auth/factor', { ticket: known, code: '000000' })).status, 401)
    assert.equal((await post('/auth/factor', { ticket: known, code: code() })).status, 200)
  })
})

describe('whoever changes how they log in shows who they are', () => {
  const late = [403, 'Log in anew, and confirm within ten minutes']
  const linking = async (name: string) => {
    club.people[name] = corp.people[name] as Claims
    const asked = await arrive(name, 'club')
    assert.deepEqual([asked.status, asked.body.next], [401, 'link'])
    return asked.body.ticket as string
  }

  it('without a password by a log-in of the last ten minutes, alike for factors and for other log-ins', async () => {
    const person = await personOf('eve')
    const { token, id, code } = person
    assert.equal((await post(base, { type: 'totp' }, token)).status, 200)
    service.turn(10 * 60_000)
    const ticket = await linking('eve')
    const refused = [
      await post(base, { type: 'totp' }, token),
      await post(`${base}/recovery-codes`, {}, token),
      await service.ask('DELETE', `${base}/${id}`, { token }),
      await post('/auth/oidc/link', { ticket }, token),
    ]
    for (const reply of refused) assert.deepEqual(saysOf(reply), late)
    assert.deepEqual(saysOf(await post(base, { type: 'totp', currentPassword: '!' }, token)), [
      403,
      'currentPassword is wrong',
    ])
    const due = (await arrive('eve')).body.ticket
    const anew = (await post('/auth/factor', { ticket: due, code: code() })).body.accessToken
    const key = await service.key(
      { id: person.userId, email: '', token: anew, refreshToken: '' },
      { scopes: ['credentials:write'] },
    )
    const byKey = await service.ask('POST', base, { key, body: { type: 'totp' } })
    assert.deepEqual(saysOf(byKey), late, 'a key never logs in')
    assert.equal((await post('/auth/oidc/link', { ticket }, anew)).status, 201)
    assert.equal((await service.ask('DELETE', `${base}/${id}`, { token: anew })).status, 204)
  })

  it('by a factor at any time, which counts as a guess and is taken once', async () => {
    const { token, code, recoveryCodes } = await personOf('fay')
    service.turn(11 * 60_000)
    const ticket = await linking('fay')
    assert.deepEqual(saysOf(await post('/auth/oidc/link', { ticket, code: '000000' }, token)), [403, 'code is wrong'])
    assert.deepEqual(saysOf(await post('/auth/oidc/link', { ticket, passkey: {} }, token)), [
      400,
      'passkeyTicket is required',
    ])
    assert.deepEqual(saysOf(await post('/auth/oidc/link', { ticket, passcode: '1' }, token)), [
      400,
      'Unknown field passcode',
    ])
    const shown = code()
    assert.equal((await post('/auth/oidc/link', { ticket, code: shown }, token)).status, 201)
    assert.deepEqual(saysOf(await post(base, { type: 'totp', code: shown }, token)), [403, 'code is wrong'])
    assert.equal((await post(base, { type: 'totp', recoveryCode: recoveryCodes[0] }, token)).status, 200)
  })

  it('with a password by it or a factor, however new the session is', async () => {
    const email = 'gil@corp.example'
    assert.equal((await post('/api/v1/members', { email, password })).status, 201)
    const { token } = await service.logIn(email)
    assert.deepEqual(saysOf(await post(base, { type: 'totp' }, token)), [403, 'currentPassword is required'])
    const { code } = await enrol(token, { currentPassword: password })
    corp.people.gil = verified(email)
    const ticket = await linking('gil')
    assert.deepEqual(saysOf(await post('/auth/oidc/link', { ticket }, token)), [403, 'currentPassword is required'])
    assert.equal((await post('/auth/oidc/link', { ticket, code: code() }, token)).status, 201)
  })
})
