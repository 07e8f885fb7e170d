/**
 * `JWT_ALG=EdDSA`: other services verify our access tokens with the published public keys, also
 * during a key rotation.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import {
  databaseOf,
  onPostgres,
  password,
  removeDatabase,
  removeFolder,
  runSql,
  startService,
  type TestService,
  temporaryFolder,
} from '../../src/testing/index.ts'
import { people } from '../service/people.ts'

const jwks = '/.well-known/jwks.json'
const eddsa = { JWT_ALG: 'EdDSA' }
const drawKey = () => JSON.stringify(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))

/** As another service does, with nothing of ours but the address. */
function verifyElsewhere({ url }: TestService, token: string) {
  return jwtVerify(token, createRemoteJWKSet(new URL(url + jwks)), { issuer: 'bindery', algorithms: ['EdDSA'] })
}
const works = async ({ ask }: TestService, token: string) => (await ask('GET', '/api/v1/members', { token })).status

describe('a key pair for access tokens', () => {
  it('is made at the first start, kept where the secret is, and the same for all who share the database', async (t) => {
    const folder = temporaryFolder()
    const env: Record<string, string> = { DATA_DIR: folder, ...(await databaseOf(folder)), ...eddsa }
    const first = await startService(people, { env })
    t.after(async () => {
      await removeDatabase(folder)
      removeFolder(folder)
    })
    const { token } = await first.admin()
    const { payload, protectedHeader } = await verifyElsewhere(first, token)
    assert.deepEqual([payload.iss, payload.role], ['bindery', 'ADMIN'])
    const reply = await first.ask('GET', jwks)
    assert.deepEqual(Object.keys(reply.body.keys[0]), ['kty', 'crv', 'x', 'kid', 'alg', 'use'])
    assert.deepEqual([reply.body.keys.length, reply.body.keys[0].kid], [1, protectedHeader.kid])
    assert.equal(reply.headers.get('content-type'), 'application/jwk-set+json')
    assert.equal(reply.headers.get('cache-control'), 'public, max-age=300')
    const etag = reply.headers.get('etag') as string
    assert.equal((await first.ask('GET', jwks, { headers: { 'if-none-match': etag } })).status, 304)
    assert.equal((await first.ask('HEAD', jwks)).status, 200)
    assert.equal((await first.ask('POST', jwks)).status, 405)
    if (!onPostgres) assert.equal(statSync(join(folder, 'jwt-key')).mode & 0o777, 0o600)

    const second = await startService(people, { env })
    assert.equal(await works(second, token), 200)
    assert.equal(await works(first, (await second.admin()).token), 200)
    await second.stop()

    // The kept key is changed: what it signed is good for as long as it is named as the one before.
    const kept = onPostgres
      ? ((await runSql(env.DATABASE_URL as string, "SELECT value FROM bindery_meta WHERE name = 'jwt key'"))[0]
          ?.value as string)
      : readFileSync(join(folder, 'jwt-key'), 'utf8')
    const changed = { ...env, JWT_PRIVATE_KEY: drawKey() }
    const third = await startService(people, { env: { ...changed, JWT_PUBLIC_KEY_PREVIOUS: kept } })
    assert.equal(await works(third, token), 200)
    const renewed = (await third.logIn('admin@example.com', password)).token
    assert.notEqual(decodeProtectedHeader(renewed).kid, protectedHeader.kid)
    for (const one of [token, renewed]) assert.equal((await verifyElsewhere(third, one)).payload.iss, 'bindery')
    assert.equal(JSON.stringify((await third.ask('GET', jwks)).body).includes('"d"'), false)
    await third.stop()
    const fourth = await startService(people, { env: changed })
    assert.deepEqual([await works(fourth, token), await works(fourth, renewed)], [401, 200])
    await fourth.stop()
    await first.stop()
  })

  it('is not there unless it was asked for', async () => {
    const service = await startService(people)
    const reply = await service.ask('GET', jwks)
    assert.deepEqual([reply.status, reply.body], [404, { error: 'Not found' }])
    assert.equal(decodeProtectedHeader((await service.admin()).token).alg, 'HS256')
    await service.stop()
  })

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const refused: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ['an algorithm that is none', { JWT_ALG: 'RS256' }, /^JWT_ALG must be one of HS256, EdDSA, not RS256$/],
    ['a key of another kind', { ...eddsa, JWT_PRIVATE_KEY: String(rsa) }, /^JWT_PRIVATE_KEY must be an Ed25519 key/],
    ['a key that is none', { ...eddsa, JWT_PRIVATE_KEY: '{"kty":"OKP"}' }, /^JWT_PRIVATE_KEY must be an Ed25519 key/],
    ['a key without the algorithm', { JWT_PRIVATE_KEY: drawKey() }, /^JWT_PRIVATE_KEY needs JWT_ALG=EdDSA$/],
  ]
  for (const [what, env, message] of refused)
    it(`does not start with ${what}, and does not show it`, async () => {
      await assert.rejects(startService(people, { env }), (error: Error) => {
        assert.match(error.message, message)
        assert.ok(!Object.values(env).some((value) => value.length > 10 && error.message.includes(value)))
        return true
      })
    })
})
