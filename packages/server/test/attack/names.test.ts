/**
 * Two e-mail addresses that differ are two accounts. Two addresses that look the same are one
 * account, or the second is refused.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startService } from '../../src/testing/index.ts'
import { people } from '../service/people.ts'

const hidden: readonly (readonly [string, string])[] = [
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a soft hyphen', '\u00ad'],
  ['an override of direction', '\u202e'],
  ['an isolate of direction', '\u2066'],
  ['a byte-order mark', '\ufeff'],
  ['a Hangul filler', '\u3164'],
  ['a variation selector', '\ufe0f'],
  ['a tag character', '\u{e0061}'],
  ['a bell', '\u0007'],
  ['a C1 control', '\u009b'],
]

describe('an account', async () => {
  const service = await startService(people)
  after(() => service.stop())
  const signUp = (email: string, password: string) =>
    service.ask('POST', '/api/v1/members', { body: { email, password } })
  const logIn = async (email: string, password: string) => {
    const reply = await service.ask('POST', '/auth/login', { body: { email, password } })
    if (reply.status !== 200) return reply.status
    return JSON.parse(Buffer.from(reply.body.accessToken.split('.')[1], 'base64url').toString()).email
  }

  it('is not another one whose address folds to the same letters', async () => {
    assert.equal((await signUp('strasse@example.com', 'the first password')).status, 201)
    assert.equal((await signUp('straße@example.com', 'the other password')).status, 201)
    assert.equal(await logIn('straße@example.com', 'the first password'), 401)
    assert.equal(await logIn('STRASSE@example.com', 'the first password'), 'strasse@example.com')
    assert.equal(await logIn('STRAẞE@example.com', 'the other password'), 'straße@example.com')
  })

  it('is the same whatever the case: taken, and logged in as', async () => {
    assert.equal((await signUp('Σίσυφος@example.com', 'rolls a stone up')).status, 201)
    assert.equal((await signUp('σίσυφοσ@EXAMPLE.com', 'rolls a stone up')).status, 409)
    assert.equal(await logIn('ΣΊΣΥΦΟΣ@example.com', 'rolls a stone up'), 'Σίσυφος@example.com')
  })

  for (const [what, character] of hidden) {
    it(`has no address with ${what}`, async () => {
      for (const email of [`ann${character}@example.com`, `ann@exam${character}ple.com`]) {
        const reply = await signUp(email, 'a long enough one')
        assert.equal(reply.status, 400, reply.text)
        assert.match(reply.body.error, /^email must (not contain invisible characters|be an email address)$/)
      }
    })
  }
})
