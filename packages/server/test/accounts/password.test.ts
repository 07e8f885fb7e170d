/**
 * Passwords: the stored format, the passwords that match it, and the limit of concurrent hashes.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { argon2Tag } from '../../src/accounts/passwords/argon2.ts'
import { makePasswords } from '../../src/accounts/passwords/password.ts'
import { ApiError } from '../../src/errors.ts'
import { hashesDuring } from '../helpers/hashes.ts'

const passwords = makePasswords()
const verify = (password: string, stored: string | undefined) => passwords.inTurn((check) => check(password, stored))

/** A hash with another cost than today's. */
async function hashOf(message: string, cost: { memory: number; passes: number; parallelism: number }): Promise<string> {
  const nonce = Buffer.alloc(16, 7)
  const tag = await argon2Tag(message, nonce, { tagLength: 24, ...cost })
  const plain = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${plain(nonce)}$${plain(tag)}`
}

describe('a stored password', () => {
  it('is argon2id of 19 MiB, two passes and one lane, with a salt of its own', async () => {
    const [one, two] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')])
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    assert.notEqual(one, two)
    assert.deepEqual(await Promise.all([verify('correct horse', one), verify('correct horse', two)]), [true, true])
  })

  it('matches nothing but the same bytes', async () => {
    const stored = await passwords.hash('pässwörd 🦉')
    for (const wrong of [
      'passwörd 🦉',
      'pässwörd 🦉 ',
      'PÄSSWÖRD 🦉',
      'pässwörd',
      '',
      'pa\u0308sswo\u0308rd 🦉',
      stored,
    ]) {
      assert.equal(await verify(wrong, stored), false, wrong)
    }
    assert.equal(await verify('pässwörd 🦉', stored), true)
  })

  it('with another cost is still checked with its own cost', async () => {
    const stored = await hashOf('old', { memory: 8192, passes: 1, parallelism: 2 })
    assert.equal(await verify('old', stored), true)
    assert.equal(await verify('new', stored), false)
  })

  it('of a database that an earlier version has written on a Node without argon2 is known', async () => {
    const stored = '$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$YfS/LYL7bp8QMG7s6qebe/iPJUGbPM6lI9rbtuRsKT8'
    assert.equal(await verify('pässwörd 🦉', stored), true)
  })

  it('that is missing or not a hash matches nothing, and costs what a real one does', async () => {
    for (const stored of [await passwords.hash('correct horse'), undefined, '!', '$2b$10$x']) {
      const hashes = await hashesDuring(async () => assert.equal(await verify('wrong', stored), false))
      assert.deepEqual(hashes, ['m=19456,t=2,p=1'], String(stored))
    }
  })
})

describe('work in turn', () => {
  it('runs two at once, first come, first served, and continues after a failure', async () => {
    const gate = makePasswords()
    const order: number[] = []
    let running = 0
    let most = 0
    const work = (i: number) =>
      gate.inTurn(async () => {
        running += 1
        most = Math.max(most, running)
        order.push(i)
        await new Promise((resolve) => setTimeout(resolve, 2))
        running -= 1
        if (i % 3 === 0) throw new Error('this one fails')
      })
    const settled = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => work(i)))
    assert.equal(most, 2)
    assert.deepEqual(order, [...Array(20).keys()])
    assert.equal(settled.filter((one) => one.status === 'rejected').length, 7)
  })

  it('is refused with Retry-After when too many wait', async () => {
    const gate = makePasswords()
    let open: () => void = () => undefined
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const waiting = Array.from({ length: 302 }, () => gate.inTurn(() => opened))
    await assert.rejects(
      gate.inTurn(() => opened),
      (error: unknown) =>
        error instanceof ApiError && error.code === 'unavailable' && (error.retryAfterSeconds ?? 0) > 0,
    )
    open()
    await Promise.all(waiting)
    await gate.inTurn(async () => undefined)
  })
})
