/**
 * Access tokens with another signature or wrong claims: each is 401, and the message tells only
 * whether the token has expired.
 */
import assert from 'node:assert/strict'
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { startService, type TestService } from '../../src/testing/index.ts'
import { people } from '../service/people.ts'

const secret = 'the secret of this test, which has enough bytes'
const header = { alg: 'HS256', typ: 'JWT' }
type Json = Readonly<Record<string, unknown>>
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const hmac = (text: string, hash = 'sha256', key: string | Buffer = secret) =>
  createHmac(hash, key).update(text).digest('base64url')

/** Signed as the server signs, whatever header and payload say; texts stand as they are. */
function forge(payload: unknown, head: unknown = header, key: string | Buffer = secret, hash = 'sha256'): string {
  const text = `${part(head)}.${part(payload)}`
  return `${text}.${hmac(text, hash, key)}`
}

describe('an access token', () => {
  let service: TestService
  let good: Json
  let own: string
  before(async () => {
    service = await startService(people, { env: { JWT_SECRET: secret } })
    own = (await service.admin()).token
    good = JSON.parse(Buffer.from(own.split('.')[1] as string, 'base64url').toString())
  })
  after(() => service.stop())

  const ask = (token: string) => service.ask('GET', '/api/v1/members', { token })
  async function refused(what: string, token: string, error = 'Invalid token') {
    const reply = await ask(token)
    assert.deepEqual([reply.status, reply.body], [401, { error }], what)
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer realm="bindery", error="invalid_token"', what)
  }
  let count = 0
  async function allRefused(vectors: Readonly<Record<string, string>>, error?: string) {
    for (const [what, token] of Object.entries(vectors)) await refused(what, token, error)
    count += Object.keys(vectors).length
  }

  it('signed as here is good: the others fail for what they say', async () => {
    assert.equal((await ask(own)).status, 200)
    assert.equal((await ask(forge(good))).status, 200)
    assert.equal((await ask(forge({ ...good, extra: true }, { ...header, kid: undefined }))).status, 200)
  })

  it('has the algorithm of the server', async () => {
    const none = (alg: unknown) => `${part({ alg, typ: 'JWT' })}.${part(good)}.`
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
    const asymmetric = (alg: string, hash: string, key: typeof rsa.privateKey) => {
      const text = `${part({ alg, typ: 'JWT' })}.${part(good)}`
      return `${text}.${sign(hash, Buffer.from(text), key).toString('base64url')}`
    }
    await allRefused({
      none: none('none'),
      None: none('None'),
      NONE: none('NONE'),
      nOnE: none('nOnE'),
      'none, signed': forge(good, { ...header, alg: 'none' }),
      'an empty alg': none(''),
      'a null alg': none(null),
      'a numeric alg': none(0),
      'no alg': forge(good, { typ: 'JWT' }),
      'a list of algs': forge(good, { ...header, alg: ['HS256'] }),
      'alg in small letters': forge(good, { ...header, alg: 'hs256' }),
      'alg with a space': forge(good, { ...header, alg: 'HS256 ' }),
      HS384: forge(good, { ...header, alg: 'HS384' }, secret, 'sha384'),
      HS512: forge(good, { ...header, alg: 'HS512' }, secret, 'sha512'),
      'HS512 that says HS256': forge(good, header, secret, 'sha512'),
      'HS256 that says HS512': forge(good, { ...header, alg: 'HS512' }),
      'RS256 with our secret': forge(good, { ...header, alg: 'RS256' }),
      'ES256 with our secret': forge(good, { ...header, alg: 'ES256' }),
      'PS256 with our secret': forge(good, { ...header, alg: 'PS256' }),
      'EdDSA with our secret': forge(good, { ...header, alg: 'EdDSA' }),
      'RS256 with a key of its own': asymmetric('RS256', 'sha256', rsa.privateKey),
      'ES256 with a key of its own': asymmetric('ES256', 'sha256', ec.privateKey),
      'HS256 with a public key': forge(good, header, String(pem)),
    })
  })

  it('names no key of its own', async () => {
    const mine = 'a secret of the attacker that has enough bytes'
    const jwk = { kty: 'oct', k: Buffer.from(mine).toString('base64url') }
    const kid = createHash('sha256').update('bindery key id ').update(mine).digest('base64url').slice(0, 12)
    await allRefused({
      'another secret': forge(good, header, mine),
      'an empty secret': forge(good, header, ''),
      'a NUL as the secret': forge(good, header, '\0'),
      'the secret without its end': forge(good, header, secret.slice(0, -1)),
      'the secret in base64': forge(good, header, Buffer.from(secret).toString('base64')),
      'a kid of another secret': forge(good, { ...header, kid }, mine),
      'an unknown kid with our secret': forge(good, { ...header, kid: 'nope' }),
      'a kid that is a path': forge(good, { ...header, kid: '../../../../dev/null' }, ''),
      'a kid that is SQL': forge(good, { ...header, kid: "' UNION SELECT 'x" }, 'x'),
      'a numeric kid': forge(good, { ...header, kid: 0 }),
      'a null kid': forge(good, { ...header, kid: null }),
      'a kid that is an object': forge(good, { ...header, kid: { toString: 'x' } }),
      'a kid of the prototype': forge(good, { ...header, kid: '__proto__' }),
      jwk: forge(good, { ...header, jwk }, mine),
      jku: forge(good, { ...header, jku: 'https://evil.example/keys' }, mine),
      x5u: forge(good, { ...header, x5u: 'https://evil.example/key' }, mine),
      x5c: forge(good, { ...header, x5c: ['MIIB'] }, mine),
    })
  })

  it('has no extension that this server does not know', async () => {
    await allRefused({
      'crit of an unknown one': forge(good, { ...header, crit: ['exp'], exp: 1 }),
      'crit of one that is not there': forge(good, { ...header, crit: ['nope'] }),
      'an empty crit': forge(good, { ...header, crit: [] }),
      'crit that is a text': forge(good, { ...header, crit: 'exp' }),
      'b64 false': forge(good, { ...header, b64: false, crit: ['b64'] }),
      'b64 false over the plain payload': (() => {
        const text = `${part({ ...header, b64: false, crit: ['b64'] })}.${JSON.stringify(good)}`
        return `${text.split('.')[0]}.${part(good)}.${hmac(text)}`
      })(),
    })
  })

  it('says who and until when, in the right types', async () => {
    const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))
    const now = Math.floor(Date.now() / 1000)
    await allRefused({
      ...Object.fromEntries(['userId', 'iss', 'iat', 'exp', 'sid'].map((name) => [`no ${name}`, forge(without(name))])),
      'another issuer': forge({ ...good, iss: 'bindery.evil' }),
      'issuers in a list': forge({ ...good, iss: ['bindery'] }),
      'an issuer in capitals': forge({ ...good, iss: 'Bindery' }),
      'exp as a text': forge({ ...good, exp: String(good.exp) }),
      'exp null': forge({ ...good, exp: null }),
      'exp as a list': forge({ ...good, exp: [good.exp] }),
      'iat as a text': forge({ ...good, iat: String(good.iat) }),
      'nbf as a text': forge({ ...good, nbf: 'now' }),
      'nbf to come': forge({ ...good, nbf: now + 600 }),
      'userId as a number': forge({ ...good, userId: 1 }),
      'userId as an object': forge({ ...good, userId: { $ne: null } }),
      'userId as a list': forge({ ...good, userId: [good.userId] }),
      'userId empty': forge({ ...good, userId: '' }),
      'userId of nobody': forge({ ...good, userId: '01890000-0000-7000-8000-000000000000' }),
      'userId that is SQL': forge({ ...good, userId: "' OR 1=1 --" }),
      'sid of no session': forge({ ...good, sid: '01890000-0000-7000-8000-000000000000' }),
      'sid as a number': forge({ ...good, sid: 7 }),
      'sid as an object': forge({ ...good, sid: {} }),
      'sid true': forge({ ...good, sid: true }),
      'a list as the payload': forge([good]),
      'a text as the payload': forge('"bindery"'),
      'null as the payload': forge('null'),
      'no JSON as the payload': forge('{'),
      'nothing as the payload': forge(''),
      'no JSON as the header': forge(good, '{'),
      'a list as the header': forge(good, [header]),
      'null as the header': forge(good, 'null'),
      'nothing as the header': forge(good, ''),
    })
  })

  it('is what was signed, byte for byte', async () => {
    const [head = '', body = '', tail = ''] = own.split('.')
    const flipped = tail.startsWith('A') ? `B${tail.slice(1)}` : `A${tail.slice(1)}`
    const other = part({ ...good, role: 'ADMIN', userId: 'x' })
    await allRefused({
      'no signature': `${head}.${body}.`,
      'no third part': `${head}.${body}`,
      'one part': head,
      'a fourth part': `${own}.${tail}`,
      'five parts, as encrypted ones have': `${own}..`,
      'only dots': '..',
      'another payload': `${head}.${other}.${tail}`,
      'another header': `${part({ ...header, x: 1 })}.${body}.${tail}`,
      'a changed signature': `${head}.${body}.${flipped}`,
      'half a signature': `${head}.${body}.${tail.slice(0, 21)}`,
      'a signature and more': `${head}.${body}.${tail}AAAA`,
      'the parts exchanged': `${body}.${head}.${tail}`,
      'a payload with padding': `${head}.${body}=.${tail}`,
      'letters of Unicode': `${head}.${body}.${tail.slice(0, -1)}\u00e9`,
      'a percent escape': `${head}%2e${body}%2e${tail}`,
      'standard base64 instead of base64url': `${head}.${body}.${'+/'.repeat(21)}`,
      'a very long one': `${head}.${body}.${'A'.repeat(10_000)}`,
      'a very long payload': forge({ ...good, more: 'x'.repeat(5_000) }),
      nonsense: 'nonsense',
    })
  })

  it('that was good before is told to be expired, and one that says so and is forged is not', async () => {
    const past = Math.floor(Date.now() / 1000) - 3600
    const old = { ...good, iat: past - 900, exp: past }
    await allRefused(
      {
        expired: forge(old),
        'expired long ago': forge({ ...old, exp: 1 }),
        'expired at zero': forge({ ...old, exp: 0 }),
        'expired before 1970': forge({ ...old, exp: -1 }),
      },
      'Token expired',
    )
    await allRefused({
      'expired, of another secret': forge(old, header, 'a secret of the attacker that has enough bytes'),
      'expired, unsigned': `${part({ alg: 'none' })}.${part(old)}.`,
      'expired, of another issuer': forge({ ...old, iss: 'evil' }),
    })
  })

  it('with one of two keys in its header is read as it was signed: duplicates gain nothing', async () => {
    const twice = (text: string) => forge(good, text)
    await allRefused({
      'alg twice, none last': twice('{"alg":"HS256","typ":"JWT","alg":"none"}'),
      'alg twice, HS512 last': twice('{"alg":"HS256","alg":"HS512"}'),
      'userId twice': forge(`${JSON.stringify(good).slice(0, -1)},"userId":"01890000-0000-7000-8000-000000000000"}`),
      'sid twice': forge(`${JSON.stringify(good).slice(0, -1)},"sid":"x"}`),
      'iss twice': forge(`${JSON.stringify(good).slice(0, -1)},"iss":"evil"}`),
    })
  })

  it('in GraphQL is refused alike', async () => {
    const reply = await service.ask('POST', '/graphql', {
      body: { query: '{ me { id } }' },
      token: forge(good, { alg: 'none' }),
    })
    assert.equal(reply.status, 401)
    assert.deepEqual(
      [reply.body.errors[0].message, reply.body.errors[0].extensions.code],
      ['Invalid token', 'UNAUTHENTICATED'],
    )
  })

  it('is tried here in more than eighty ways', () => assert.ok(count > 80, String(count)))
})
