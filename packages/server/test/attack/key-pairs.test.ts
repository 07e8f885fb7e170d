/**
 * Access tokens signed by a key pair: neither the public key as a secret, nor another algorithm,
 * nor another key is accepted.
 */
import assert from 'node:assert/strict'
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { startService, type TestService } from '../../src/testing/index.ts'
import { people } from '../service/people.ts'

const secret = 'the secret of this test, which has enough bytes'
const own = generateKeyPairSync('ed25519')
const other = generateKeyPairSync('ed25519')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed448 = generateKeyPairSync('ed448')

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const pemOf = (key: KeyObject) => String(key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }))

describe('an access token of a key pair', () => {
  let service: TestService
  let token: string
  let good: Record<string, unknown>
  let header: Record<string, unknown>
  before(async () => {
    const env = { JWT_ALG: 'EdDSA', JWT_PRIVATE_KEY: pemOf(own.privateKey), JWT_SECRET: secret }
    service = await startService(people, { env })
    token = (await service.admin()).token
    ;[header, good] = token
      .split('.')
      .slice(0, 2)
      .map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()))
  })
  after(() => service.stop())

  const signed = (head: unknown, key: KeyObject, hash: string | null = null, payload: unknown = good) => {
    const text = `${part(head)}.${part(payload)}`
    return `${text}.${sign(hash, Buffer.from(text), key).toString('base64url')}`
  }
  const hmac = (head: unknown, key: string | Buffer, hash = 'sha256') => {
    const text = `${part(head)}.${part(good)}`
    return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
  }

  it('signed as here is good: the others fail for what they say', async () => {
    assert.equal(header.alg, 'EdDSA')
    for (const one of [token, signed(header, own.privateKey), signed({ ...header, kid: undefined }, own.privateKey)])
      assert.equal((await service.ask('GET', '/api/v1/members', { token: one })).status, 200)
  })

  it('is refused in 28 other forms, all in the same words', async () => {
    const [pem, publicKey] = [pemOf(own.publicKey), createPublicKey(own.privateKey)]
    const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url')
    const der = publicKey.export({ type: 'spki', format: 'der' })
    const hs = { ...header, alg: 'HS256' }
    const evil = other.publicKey.export({ format: 'jwk' })
    const vectors: Readonly<Record<string, string>> = {
      'HS256 with the public key in PEM': hmac(hs, pem),
      'HS256 with the public key without its last line end': hmac(hs, pem.trim()),
      'HS256 with the public key in DER': hmac(hs, der),
      'HS256 with the raw public key': hmac(hs, raw),
      'HS256 with its JWK': hmac(hs, JSON.stringify(publicKey.export({ format: 'jwk' }))),
      'HS256 with the x of its JWK': hmac(hs, String(publicKey.export({ format: 'jwk' }).x)),
      'HS256 without a kid, with the public key': hmac({ alg: 'HS256', typ: 'JWT' }, pem),
      'HS512 with the public key': hmac({ ...header, alg: 'HS512' }, pem, 'sha512'),
      'HS256 with our secret, which signs no tokens here': hmac(hs, secret),
      'HS256 with our secret, without a kid': hmac({ alg: 'HS256', typ: 'JWT' }, secret),
      'HMAC that says EdDSA': hmac(header, pem),
      none: `${part({ ...header, alg: 'none' })}.${part(good)}.`,
      None: `${part({ ...header, alg: 'None' })}.${part(good)}.`,
      'none, signed': signed({ ...header, alg: 'none' }, own.privateKey),
      'no alg': signed({ ...header, alg: undefined }, own.privateKey),
      'a list of algs': signed({ ...header, alg: ['EdDSA'] }, own.privateKey),
      'alg in small letters': signed({ ...header, alg: 'eddsa' }, own.privateKey),
      'RS256 with a key of its own': signed({ ...header, alg: 'RS256' }, rsa.privateKey, 'sha256'),
      'ES256 with a key of its own': signed({ ...header, alg: 'ES256' }, ec.privateKey, 'sha256'),
      'another pair, our kid': signed(header, other.privateKey),
      'another pair, no kid': signed({ ...header, kid: undefined }, other.privateKey),
      'another kid, our key': signed({ ...header, kid: 'nope' }, own.privateKey),
      'a kid that is a path': signed({ ...header, kid: '../../jwt-key' }, own.privateKey),
      'Ed448, our kid': signed(header, ed448.privateKey),
      jwk: signed({ ...header, kid: undefined, jwk: evil }, other.privateKey),
      jku: signed({ ...header, jku: 'https://evil.example/keys' }, other.privateKey),
      'another payload under the same signature': [
        token.split('.')[0],
        part({ ...good, role: 'ADMIN', extra: 1 }),
        token.split('.')[2],
      ].join('.'),
      'no signature': token.replace(/[^.]*$/, ''),
    }
    assert.equal(Object.keys(vectors).length, 28)
    for (const [what, forged] of Object.entries(vectors)) {
      const reply = await service.ask('GET', '/api/v1/members', { token: forged })
      assert.deepEqual([reply.status, reply.body], [401, { error: 'Invalid token' }], what)
    }
  })

  it('that has expired says so', async () => {
    const past = { ...good, iat: 1, exp: 2 }
    const reply = await service.ask('GET', '/api/v1/members', {
      token: signed(header, own.privateKey, null, past),
    })
    assert.deepEqual([reply.status, reply.body], [401, { error: 'Token expired' }])
  })
})
