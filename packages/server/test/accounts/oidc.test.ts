/**
 * Log-in by real OpenID providers. A response that does not belong to the browser is refused. An
 * account is created by a verified address and found again by issuer and subject.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { adminEmail, password, startService as startOf, type TestService } from '../../src/testing/index.ts'
import { resources } from '../helpers/application.ts'
import { type Issuer, makeBrowser, providerEnv, startIssuer } from '../helpers/oidc-issuer.ts'
import { links } from '../service/people.ts'
import { club as clubhouse } from './club-people.ts'

const json = (text: string) => JSON.parse(text)
const claimsOf = (token: string) => json(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
let corp: Issuer
let club: Issuer
let service: TestService
before(async () => {
  ;[corp, club] = await Promise.all([startIssuer(), startIssuer({ inIdToken: true })])
  const env = {
    OIDC_PROVIDERS: 'corp,club',
    CORS_ORIGINS: 'https://app.example',
    ...providerEnv('CORP', corp.url),
    ...providerEnv('CLUB', club.url, { OIDC_CLUB_ROLES: 'groups:admins=ADMIN,editors=EDITOR' }),
  }
  service = await startOf([...resources, links], { env })
})
after(async () => {
  await service?.stop()
  await Promise.all([corp?.stop(), club?.stop()])
})

const at = (name: string, query = '') => `${service.url}/auth/oidc/${name}${query}`
const verified = (email: string, more = {}) => ({ email, email_verified: true, ...more })
/** Logs in anew, as a program does: the status and the body of the last answer. */
async function arrive(name: string, as: string) {
  const browser = makeBrowser()
  const back = await browser.logIn(at(name), as)
  const { status, text } = await browser.go(back)
  return { status, body: json(text), browser }
}
const me = async (token: string) =>
  (await service.ask('POST', '/graphql', { token, body: { query: '{ me { id email role status } }' } })).body.data?.me

describe('a log-in by a provider', () => {
  it('makes an account by a verified address, and finds it again by issuer and subject', async () => {
    corp.people.ann = verified('Ann@corp.example')
    const first = await arrive('corp', 'ann')
    assert.equal(first.status, 200, JSON.stringify(first.body))
    assert.deepEqual(Object.keys(first.body), ['accessToken', 'refreshToken'])
    const account = await me(first.body.accessToken)
    assert.deepEqual([account.email, account.role, account.status], ['Ann@corp.example', 'USER', 'ACTIVE'])
    assert.ok(first.browser.cookie(service.url, 'refreshToken'))
    assert.equal(first.browser.cookie(service.url, 'logInFlow'), undefined)
    const refreshed = await first.browser.go(`${service.url}/auth/refresh`, { method: 'POST' })
    assert.equal(refreshed.status, 200)
    corp.people.ann = { email: 'other@corp.example', email_verified: false }
    const second = await arrive('corp', 'ann')
    assert.deepEqual([second.status, (await me(second.body.accessToken)).id], [200, account.id])
    const listed = await service.ask('GET', '/api/v1/links', { token: second.body.accessToken })
    assert.deepEqual(
      [listed.body.data.length, listed.body.data[0].issuer, listed.body.data[0].subject],
      [1, corp.url, 'ann'],
    )
    // The account has no password, and no short text works as one.
    for (const guess of ['!', 'any', ''])
      assert.notEqual(
        (await service.ask('POST', '/auth/login', { body: { email: account.email, password: guess } })).status,
        200,
      )
  })

  it('sends browsers on to a page with the refresh cookie, and to no page of strangers', async () => {
    corp.people.bob = verified('bob@corp.example')
    const browser = makeBrowser('text/html,*/*;q=0.8')
    for (const [to, arrives] of [
      ['/app?tab=1', '/app?tab=1'],
      ['https://app.example/in#x', 'https://app.example/in'],
    ] as const) {
      const back = await browser.logIn(at('corp', `?returnTo=${encodeURIComponent(to)}`), 'bob')
      const ended = await browser.go(back)
      assert.deepEqual([ended.status, ended.headers.get('location'), ended.text], [303, arrives, ''])
      const [cookie, taken] = ended.headers.getSetCookie()
      assert.match(cookie ?? '', /^refreshToken=.+; Max-Age=604800; Path=\/auth; HttpOnly; SameSite=Strict$/)
      assert.match(taken ?? '', /^logInFlow=; Max-Age=0; Path=\/auth\/oidc; HttpOnly; SameSite=Lax$/)
    }
    const strangers = [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'javascript:alert(1)',
      'https://app.example@evil.example/',
      'http://app.example/',
      'evil',
      '/\t/evil.example',
      'https://app.example.evil.example',
      '/.//evil.example',
      '/./\\evil.example',
      '/x/..//evil.example',
      '/x/../\\evil.example',
      '/%2e//evil.example',
      `/${'x'.repeat(1001)}`,
    ]
    for (const to of strangers) {
      const reply = await service.ask('GET', `/auth/oidc/corp?returnTo=${encodeURIComponent(to)}`)
      assert.equal(reply.status, 400, to)
      assert.match(reply.body.error, /^returnTo must be/)
    }
    assert.equal((await service.ask('GET', '/auth/oidc/nobody')).status, 404)
    assert.equal((await service.ask('GET', '/auth/oidc/corp?prompt=none')).status, 400)
  })

  it('asks the provider for a code with PKCE, a nonce and a state, and tells it nothing else', async () => {
    const reply = await service.ask('GET', '/auth/oidc/corp')
    const asked = new URL(reply.headers.get('location') as string).searchParams
    assert.deepEqual([...asked.keys()].toSorted(), [
      'client_id',
      'code_challenge',
      'code_challenge_method',
      'nonce',
      'redirect_uri',
      'response_type',
      'scope',
      'state',
    ])
    assert.deepEqual([asked.get('code_challenge_method'), asked.get('redirect_uri')], ['S256', at('corp/callback')])
    const [cookie = ''] = reply.headers.getSetCookie()
    assert.match(cookie, /^logInFlow=[\w.-]+; Max-Age=600; Path=\/auth\/oidc; HttpOnly; SameSite=Lax$/)
    assert.ok(!Buffer.from(cookie, 'latin1').includes(asked.get('state') as string))
  })
})

describe('an answer that does not belong to the browser', () => {
  const elsewhere = { error: 'This log-in was not begun in this browser, or too long ago; start again' }
  const unchecked = { error: 'The log-in could not be checked; start again' }
  const from = async (as: string, change?: (away: URL) => void) => {
    corp.people[as] ??= verified(`${as}@corp.example`)
    const browser = makeBrowser()
    return { browser, back: await browser.logIn(at('corp'), as, change) }
  }
  const changed = (back: string, name: string, value: string) => {
    const url = new URL(back)
    url.searchParams.set(name, value)
    return url.href
  }
  const outcome = async (browser: ReturnType<typeof makeBrowser>, url: string) => {
    const { status, text } = await browser.go(url)
    return [status, json(text)]
  }

  it('is refused without its cookie, in another browser, for another state or provider, and the flow goes on', async () => {
    const [{ browser, back }, other] = [await from('cy'), await from('dan')]
    const refused = [400, elsewhere]
    assert.deepEqual(await outcome(makeBrowser(), back), refused)
    assert.deepEqual(await outcome(other.browser, back), refused)
    assert.deepEqual(await outcome(browser, changed(back, 'state', 'another')), refused)
    assert.deepEqual(await outcome(browser, `${back}&state=${new URL(back).searchParams.get('state')}`), refused)
    assert.deepEqual(await outcome(browser, back.replace('/corp/', '/club/')), refused)
    // A neighbouring host plants the cookie of its own log-in, and sends the browser to the end of
    // that.
    const [own, planted] = [browser, other.browser].map((one) => one.cookie(service.url, 'logInFlow'))
    const cookie = `logInFlow=${planted}; logInFlow=${own}`
    for (const url of [other.back, back]) {
      const { status, text } = await makeBrowser().go(url, { headers: { cookie } })
      assert.deepEqual([status, json(text)], [400, { error: 'Two different logInFlow cookies were sent' }])
    }
    assert.equal((await browser.go(back)).status, 200)
  })

  it('is refused with another nonce, another challenge, another issuer and the second time', async () => {
    const refused = [401, unchecked]
    const nonce = await from('eve', (away) => away.searchParams.set('nonce', 'of-the-attacker'))
    assert.deepEqual(await outcome(nonce.browser, nonce.back), refused)
    const challenge = await from('eve', (away) => away.searchParams.set('code_challenge', 'A'.repeat(43)))
    assert.deepEqual(await outcome(challenge.browser, challenge.back), refused)
    const issuer = await from('eve')
    assert.deepEqual(await outcome(issuer.browser, changed(issuer.back, 'iss', club.url)), refused)
    const { browser, back } = await from('eve')
    const cookie = `logInFlow=${browser.cookie(service.url, 'logInFlow')}`
    const again = () => makeBrowser().go(back, { headers: { cookie } })
    assert.equal((await again()).status, 200)
    const replayed = await again()
    assert.deepEqual([replayed.status, json(replayed.text)], refused)
  })

  it('is refused when it is too late', async () => {
    const { browser, back } = await from('fay')
    service.turn(11 * 60_000)
    assert.deepEqual(await outcome(browser, back), [400, elsewhere])
  })

  it('says so in a page where a browser looks', async () => {
    corp.people.gil = verified('gil@corp.example')
    const browser = makeBrowser('text/html')
    const begun = await browser.go(at('corp', '?returnTo=/app'))
    const { searchParams } = new URL(begun.headers.get('location') as string)
    const refusal = new URLSearchParams({
      error: 'access_denied',
      error_description: '<b>x',
      state: searchParams.get('state') as string,
      iss: corp.url,
    })
    const page = await browser.go(at('corp/callback', `?${refusal}`))
    assert.equal(page.status, 403)
    assert.match(page.text, /The log-in was refused at the provider\..*href="\/app"/s)
    assert.ok(!page.text.includes('<b>x'))
    assert.equal(browser.cookie(service.url, 'logInFlow'), undefined)
  })
})

describe('an account that is there already', () => {
  it('is joined by nobody but itself, with its password', async () => {
    const person = await service.person()
    const stranger = await service.person()
    corp.people.hal = verified(person.email.toUpperCase())
    const asked = await arrive('corp', 'hal')
    assert.deepEqual([asked.status, asked.body.next], [401, 'link'])
    const { ticket } = asked.body
    const link = (token: string, body: object) => service.ask('POST', '/auth/oidc/link', { token, body })
    const outcomes = [
      [await link(stranger.token, { ticket, currentPassword: password }), 403, 'The ticket is for another account'],
      [await link(person.token, { ticket }), 403, 'currentPassword is required'],
      [await link(person.token, { ticket, currentPassword: 'a wrong one' }), 403, 'currentPassword is wrong'],
      [
        await link(person.token, { ticket: `${ticket}x`, currentPassword: password }),
        400,
        'Invalid ticket; start the log-in again',
      ],
      [await link('', { ticket, currentPassword: password }), 401, 'Token required'],
    ] as const
    for (const [reply, status, error] of outcomes) assert.deepEqual([reply.status, reply.body], [status, { error }])
    assert.equal((await arrive('corp', 'hal')).status, 401)
    const made = await link(person.token, { ticket, currentPassword: password })
    assert.equal(made.status, 201, made.text)
    assert.equal((await link(person.token, { ticket, currentPassword: password })).body.id, made.body.id)
    const entered = await arrive('corp', 'hal')
    assert.deepEqual([entered.status, claimsOf(entered.body.accessToken).userId], [200, person.id])
    // Others do not see it; a key without scopes does not take it away; its owner does, and has to
    // say yes again.
    const path = `/api/v1/links/${made.body.id}`
    assert.equal((await service.ask('GET', path, { token: stranger.token })).status, 404)
    assert.equal((await service.ask('DELETE', path, { key: await service.key(person) })).status, 403)
    assert.equal((await service.ask('DELETE', path, { token: person.token })).status, 204)
    assert.equal((await arrive('corp', 'hal')).status, 401)
  })

  it('may ask for it, whatever the address is there, and confirms', async () => {
    const person = await service.person()
    club.people.ida = { email: 'nobody@elsewhere.example', email_verified: false }
    const browser = makeBrowser()
    const begun = await browser.go(at('club'), { method: 'POST', headers: { authorization: `Bearer ${person.token}` } })
    assert.equal(begun.status, 200, begun.text)
    // The browser goes where the page sends it.
    const { location } = json(begun.text)
    const walker = makeBrowser()
    const back = await walker.logIn(at('club'), 'ida', (away) => {
      away.search = new URL(location).search
    })
    const ended = await browser.go(back)
    assert.deepEqual([ended.status, json(ended.text).next], [200, 'link'])
    const body = { ticket: json(ended.text).ticket, currentPassword: password }
    assert.equal((await service.ask('POST', '/auth/oidc/link', { token: person.token, body })).status, 201)
    const other = await service.person()
    assert.equal((await service.ask('POST', '/auth/oidc/link', { token: other.token, body })).status, 403)
    assert.equal(claimsOf((await arrive('club', 'ida')).body.accessToken).userId, person.id)
  })

  it('without a password confirms soon after a log-in', async () => {
    corp.people.jo = verified('jo@both.example')
    club.people.jo = verified('jo@both.example')
    const { accessToken: token } = (await arrive('corp', 'jo')).body
    const { ticket } = (await arrive('club', 'jo')).body
    service.turn(9.5 * 60_000)
    const late = (await arrive('club', 'jo')).body.ticket
    service.turn(60_000)
    const refused = await service.ask('POST', '/auth/oidc/link', { token, body: { ticket: late } })
    assert.deepEqual([refused.status, refused.body.error], [403, 'Log in anew, and confirm within ten minutes'])
    assert.equal((await service.ask('POST', '/auth/oidc/link', { token, body: { ticket } })).status, 400)
    const fresh = (await arrive('corp', 'jo')).body.accessToken
    assert.equal((await service.ask('POST', '/auth/oidc/link', { token: fresh, body: { ticket: late } })).status, 201)
  })

  it('is not found by an address that nobody has verified, nor made by one', async () => {
    const person = await service.person()
    for (const email of [person.email, 'kim@corp.example'])
      for (const flag of [{ email_verified: false }, {}, { email_verified: 'no' }]) {
        corp.people.kim = { email, ...flag }
        const { status, body } = await arrive('corp', 'kim')
        assert.deepEqual([status, body.error], [403, 'The e-mail address is not verified by the provider'])
      }
    corp.people.kim = {}
    assert.equal((await arrive('corp', 'kim')).status, 403)
    corp.people.kim = verified('no address')
    assert.equal((await arrive('corp', 'kim')).status, 400)
  })
})

describe('roles', () => {
  it('are those of the mapping at each log-in, but for the last ADMIN', async () => {
    club.people.lee = verified('lee@club.example', { groups: ['editors', 'others'] })
    const roleOf = async () => (await me((await arrive('club', 'lee')).body.accessToken)).role
    assert.equal(await roleOf(), 'EDITOR')
    club.people.lee = verified('lee@club.example', { groups: ['editors', 'admins'] })
    assert.equal(await roleOf(), 'ADMIN')
    club.people.lee = verified('lee@club.example', { groups: 'constructor' })
    assert.equal(await roleOf(), 'USER')
    club.people.lee = verified('lee@club.example', { groups: ['admins'] })
    assert.equal(await roleOf(), 'ADMIN')
    const { id, token } = await service.admin()
    const demote = (role: string) => service.ask('PATCH', `/api/v1/members/${id}`, { token, body: { role } })
    assert.equal((await demote('EDITOR')).status, 200)
    club.people.lee = verified('lee@club.example')
    assert.equal(await roleOf(), 'ADMIN')
    assert.ok(service.logged.some((line) => /last active ADMIN .* the role is kept/.test(line)))
    club.people.lee = verified('lee@club.example', { groups: ['admins'] })
    const lee = (await arrive('club', 'lee')).body.accessToken
    assert.equal(
      (await service.ask('PATCH', `/api/v1/members/${id}`, { token: lee, body: { role: 'ADMIN' } })).status,
      200,
    )
  })

  it('sets the role that includes the others, or else the first one of the variable', async () => {
    const mapped = 'groups:coaches=COACH,treasurers=TREASURER,board=BOARD,auditors=AUDITOR'
    const env = { OIDC_PROVIDERS: 'club', ...providerEnv('CLUB', club.url, { OIDC_CLUB_ROLES: mapped }) }
    const other = await startOf(clubhouse, { env })
    try {
      for (const [groups, role] of [
        [['auditors', 'treasurers'], 'TREASURER'],
        [['treasurers', 'auditors', 'coaches'], 'COACH'],
        [['coaches', 'board'], 'BOARD'],
        [['strangers'], 'GUEST'],
      ] as const) {
        club.people.mo = verified('mo@club.example', { groups })
        const browser = makeBrowser()
        const { text } = await browser.go(await browser.logIn(`${other.url}/auth/oidc/club`, 'mo'))
        const { body } = await other.ask('GET', '/api/v1/me', { token: json(text).accessToken })
        assert.equal(body.role, role)
      }
    } finally {
      await other.stop()
    }
  })

  it('let nobody in who is not active', async () => {
    corp.people.mia = verified('mia@corp.example')
    const { accessToken } = (await arrive('corp', 'mia')).body
    const { id } = await me(accessToken)
    const { token } = await service.admin()
    await service.ask('POST', `/api/v1/members/${id}/bar`, { token })
    const { status, body } = await arrive('corp', 'mia')
    assert.deepEqual([status, body], [403, { error: 'The account is not active' }])
  })
})

describe('providers', () => {
  it('are listed, and one account may have several processes', async () => {
    assert.deepEqual((await service.ask('GET', '/auth/oidc')).body, { providers: ['corp', 'club'] })
    const env = {
      DATABASE_URL: '',
      DATA_DIR: service.folder,
      ADMIN_EMAIL: adminEmail,
      OIDC_PROVIDERS: 'corp',
      ...providerEnv('CORP', corp.url),
      SIGN_UP: 'closed',
    }
    if (process.env.BINDERY_TEST_DATABASE === 'postgres') return
    const second = await startOf([...resources, links], { env })
    corp.people.ned = verified('ned@corp.example')
    const browser = makeBrowser()
    const back = await browser.logIn(at('corp'), 'ned')
    const cookie = `logInFlow=${browser.cookie(service.url, 'logInFlow')}`
    const ended = await makeBrowser().go(back.replace(service.url, second.url), { headers: { cookie } })
    // The other process takes the provider's response; its operator allows no sign-ups.
    assert.deepEqual(
      [ended.status, json(ended.text).error],
      [403, 'There is no account with this e-mail address, and sign-up is closed'],
    )
    assert.equal((await arrive('corp', 'ned')).status, 200)
    const again = makeBrowser()
    const home = await again.logIn(at('corp'), 'ned')
    const taken = { headers: { cookie: `logInFlow=${again.cookie(service.url, 'logInFlow')}` } }
    assert.equal((await makeBrowser().go(home.replace(service.url, second.url), taken)).status, 200)
    await second.stop()
  })
})
