/**
 * Random secrets: their form, their checksum, their hash, and successors that only the server can
 * derive.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { hashToken, isKey, makeKey, makeRefreshToken, nextRefreshToken } from '../../src/accounts/tokens/token.ts'

describe('keys', () => {
  it('hold 256 random bits, and are stored as SHA-256', () => {
    const made = Array.from({ length: 500 }, () => makeKey('bk_'))
    assert.equal(new Set(made.map(({ token }) => token)).size, made.length)
    for (const { token, hash } of made) {
      assert.equal(Buffer.from(token.slice(3, 46), 'base64url').length, 32)
      assert.equal(hash, createHash('sha256').update(token).digest('hex'))
      assert.ok(isKey(token))
    }
  })

  it('differ from mistyped ones: any one character changed, missing, doubled or swapped with the next', () => {
    const { token } = makeKey('bk_')
    for (let i = 0; i < token.length; i += 1) {
      const changed = `${token.slice(0, i)}${token[i] === 'a' ? 'b' : 'a'}${token.slice(i + 1)}`
      const missing = token.slice(0, i) + token.slice(i + 1)
      const doubled = token.slice(0, i) + (token[i] as string) + token.slice(i)
      const swapped = token.slice(0, i) + (token[i + 1] ?? '') + token[i] + token.slice(i + 2)
      for (const one of [changed, missing, doubled, swapped]) assert.ok(one === token || !isKey(one), one)
    }
  })

  it('are recognized in their exact form only', () => {
    const { token } = makeKey('bk_')
    for (const text of [
      '',
      'bk_',
      `${token}\n`,
      ` ${token}`,
      `${token},${token}`,
      token.toUpperCase(),
      'x'.repeat(100_000),
      `bk_${'é'.repeat(51)}`,
    ])
      assert.ok(!isKey(text))
  })
})

describe('refresh tokens', () => {
  const secret = Buffer.alloc(32, 1)
  it('are 256 random bits; successors look the same', () => {
    const tokens = Array.from({ length: 500 }, makeRefreshToken)
    const all = [...tokens, ...tokens.map((token) => nextRefreshToken(token, secret))]
    assert.equal(new Set(all).size, 1000)
    for (const token of all) assert.match(token, /^[A-Za-z0-9_-]{43}$/)
  })

  it('have one successor for each secret, which the stored hashes do not reveal', () => {
    const token = makeRefreshToken()
    const next = nextRefreshToken(token, secret)
    assert.equal(nextRefreshToken(token, secret), next)
    assert.notEqual(nextRefreshToken(token, Buffer.alloc(32, 2)), next)
    assert.notEqual(nextRefreshToken(next, secret), token)
    assert.ok(!hashToken(token).includes(next) && hashToken(token) !== hashToken(next))
  })
})
