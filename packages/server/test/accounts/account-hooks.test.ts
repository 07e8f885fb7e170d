/**
 * Hooks of accounts on every way to an account and to a session. Each deed of a hook has its clear
 * answer, and leaves nothing half done.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { equal } from '../../src/resource/condition.ts'
import { databaseOf, removeDatabase, removeFolder, startService, temporaryFolder } from '../../src/testing/index.ts'
import { makeBrowser } from '../helpers/oidc-issuer.ts'
import { checkTold, told } from '../record/hook-moods.ts'
import { type Deed, deeds, hooked, mood } from './hooked-people.ts'
import {
  api,
  codeOf,
  countOf,
  enrolled,
  type HookedWorld,
  logIn,
  logIns,
  mailedToken,
  resourceOf,
  send,
  signUps,
  startWorld,
  stopWorld,
  type Told,
  userOf,
} from './hooked-ways.ts'

let service: HookedWorld['service']
let corp: HookedWorld['corp']
let admin: string
before(async () => {
  ;({ service, corp, admin } = await startWorld())
})
after(stopWorld)
beforeEach(() => {
  mood.deed = undefined
})

const statusOf: Readonly<Record<Deed, number>> = {
  refuses: 409,
  'refuses with a field': 400,
  throws: 500,
  hangs: 500,
  network: 500,
}

/** The answer to a deed, and what the log has. */
function checkAnswer(hook: string, deed: Deed, answer: Told): void {
  if (answer.status !== undefined) assert.equal(answer.status, statusOf[deed], `${deed}: ${answer.text}`)
  const log = service.logged.join('\n').replaceAll('\\"', '"')
  checkTold('before', deed, { error: answer.error, log })
  if (told[deed].log && answer.status !== undefined) assert.ok(log.includes(`accounts: hooks.${hook} `), log)
}

const plainClient = { addressGroup: '127.0.0.1', userAgent: 'node' }

describe('a hook before a sign-up', () => {
  for (const [name, { begin, way, provider = null, userId, isTrusted = false }] of Object.entries(signUps))
    it(`decides about ${name}`, async () => {
      for (const deed of deeds) {
        const email = `${name}-${deed}@example.com`.replaceAll(' ', '-')
        mood.deed = undefined
        const end = await begin(email)
        const before = await countOf('user')
        service.logged.length = 0
        mood.deed = deed
        checkAnswer('beforeSignUp', deed, await end())
        assert.equal(await countOf('user'), before, deed)
      }
      mood.deed = undefined
      const email = `${name}@example.com`.replaceAll(' ', '-')
      const end = await begin(email)
      mood.seen.length = 0
      const answer = await end()
      assert.equal(answer.error, undefined, answer.text)
      const [seen] = mood.seen.filter(({ hook }) => hook === 'sign-up')
      const { record, sent, client, count, ...rest } = seen as Record<string, Record<string, unknown>>
      const by = userId ? (await service.admin()).id : null
      assert.deepEqual(rest, { hook: 'sign-up', way, provider, userId: by, isTrusted })
      assert.equal(sent?.email, email)
      assert.ok(!('password' in (record ?? {})) && !('password' in (sent ?? {})), 'a secret stays where it is')
      assert.equal(record?.role, 'USER')
      assert.ok(Number(count) > 0, 'its records are those of the transaction')
      if (!isTrusted) assert.equal(client?.addressGroup, plainClient.addressGroup)
      const stored = await service.service.engine.storage.find(resourceOf('user'), equal('email', email))
      assert.equal(stored?.row.nick, `by ${way}`)
    })

  it('may refuse the first account, which ends the start with its sentence', async () => {
    const folder = temporaryFolder()
    mood.deed = 'refuses'
    const env = { DATA_DIR: folder, ...(await databaseOf(folder)) }
    const started = startService(hooked, { env })
    await assert.rejects(started, /StartError: The first account, admin@example\.com, was refused: The hook wants no/)
    mood.deed = undefined
    mood.seen.length = 0
    const next = await startService(hooked, { env })
    await next.stop()
    await removeDatabase(folder)
    removeFolder(folder)
    const [{ way, client }] = mood.seen as [Record<string, unknown>]
    assert.deepEqual([way, client], ['first-start', { addressGroup: null, userAgent: null }])
  })
})

describe('a hook before a log-in', () => {
  for (const [name, { begin, way, provider = null, hasFactor = false }] of Object.entries(logIns))
    it(`decides about ${name}`, async () => {
      const { userId, end } = await begin()
      const own = equal('userId', userId)
      const sessions = await countOf('session', own)
      for (const deed of deeds) {
        service.logged.length = 0
        mood.deed = deed
        const answer = await end()
        checkAnswer('beforeLogIn', deed, answer)
        assert.doesNotMatch(answer.text, /accessToken|ticket/)
        assert.equal(await countOf('session', own), sessions, deed)
      }
      mood.deed = undefined
      mood.seen.length = 0
      const answer = await end()
      assert.equal(answer.error, undefined, answer.text)
      const { user, email, client, ...rest } = mood.seen.at(-1) as Record<string, Record<string, unknown>>
      assert.deepEqual(rest, { hook: 'log-in', way, provider, hasFactor })
      assert.deepEqual([user?.id, email], [userId, user?.email])
      assert.ok(!('password' in (user ?? {})))
      assert.deepEqual(client?.addressGroup, plainClient.addressGroup)
      assert.equal(await countOf('session', own), sessions + 1)
      const { body } = await service.ask('GET', `${api}/audit-events?userId=${userId}&event=log-in-refused`, {
        token: admin,
      })
      const said = body.data.map(({ details, actorId, address }: Record<string, unknown>) => [
        details,
        actorId,
        address,
      ])
      assert.deepEqual(said, Array(2).fill([[`way=${way}`], null, '127.0.0.1']))
    })

  it('is no wrong password and no wrong code, however often it refuses', async () => {
    const user = await userOf()
    const secret = await enrolled(user)
    const other = await userOf()
    mood.deed = 'refuses'
    for (let tries = 0; tries < 12; tries += 1) {
      const { body } = await logIn(user.email)
      service.turn(30_000)
      const refused = await send('/auth/factor', { ticket: body.ticket, code: codeOf(secret) })
      assert.deepEqual([refused.status, refused.body], [409, { error: 'The hook wants no such record' }])
    }
    for (let tries = 0; tries < 12; tries += 1) assert.equal((await logIn(other.email)).status, 409)
    mood.deed = undefined
    assert.equal((await logIn(other.email)).status, 200)
    const { body } = await logIn(user.email)
    service.turn(30_000)
    assert.equal((await send('/auth/factor', { ticket: body.ticket, code: codeOf(secret) })).status, 200)
  })

  it('comes after a link is spent: a refused log-in needs another mail', async () => {
    const { email } = await userOf()
    const linked = async () => {
      await send('/auth/login-link', { email })
      return mailedToken(email)
    }
    const token = await linked()
    mood.deed = 'refuses'
    assert.equal((await send('/auth/login-link', { token })).status, 409)
    mood.deed = undefined
    const again = await send('/auth/login-link', { token })
    assert.deepEqual([again.status, again.text], [401, '{"error":"Invalid credentials"}'])
    assert.equal((await send('/auth/login-link', { token: await linked() })).status, 200)
  })

  it('says nothing to a caller who has shown no proof, or half of it', async () => {
    const user = await userOf()
    const secret = await enrolled(user)
    mood.deed = 'refuses'
    mood.seen.length = 0
    for (const email of [user.email, 'no-such-user@example.com']) {
      const { status, text } = await logIn(email, 'a wrong password')
      assert.deepEqual([status, text], [401, '{"error":"Invalid credentials"}'])
    }
    const half = await logIn(user.email)
    assert.deepEqual([half.status, half.body.next], [401, 'totp'])
    const right = codeOf(secret)
    const wrong = `${right.slice(0, 5)}${(Number(right[5]) + 5) % 10}`
    const { status, text } = await send('/auth/factor', { ticket: half.body.ticket, code: wrong })
    assert.deepEqual([status, text], [401, '{"error":"Invalid code"}'])
  })

  it('shows its sentence on the page at the end of a log-in by a provider', async () => {
    corp.people.page = { email: 'page@example.com', email_verified: true }
    const browser = makeBrowser('text/html,*/*;q=0.8')
    const back = await browser.logIn(`${service.url}/auth/oidc/corp?returnTo=/app`, 'page')
    mood.deed = 'refuses'
    const { status, text } = await browser.go(back)
    assert.equal(status, 409)
    assert.match(text, /<h1>Not logged in<\/h1>\n<p>The hook wants no such record\.<\/p>/)
  })
})
