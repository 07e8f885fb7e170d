/**
 * `JWT_TRUSTED_ISSUERS`: programs send tokens of another issuer. The operator's setting says their
 * permissions, and the issuer's public keys verify them.
 */
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { SignJWT } from 'jose'
import { adminEmail, startService as startOf, type TestService } from '../../src/testing/index.ts'
import { resources, startService } from '../helpers/application.ts'
import { clientId, clientSecret, type Issuer, resourceServer, startIssuer } from '../helpers/oidc-issuer.ts'

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwkOf = (key: KeyObject, kid: string) => ({ ...key.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' })

/** An issuer whose keys and moods the test decides. */
let server: Server
let url: string
let published = [jwkOf(pair.publicKey, 'one')]
let isUp = true
let fetched = 0
let corp: Issuer
let service: TestService
before(async () => {
  server = createServer((request, response) => {
    fetched += 1
    if (!isUp) return void response.writeHead(500).end()
    const body = request.url === '/keys' ? { keys: published } : { issuer: url, jwks_uri: `${url}/keys` }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  corp = await startIssuer()
  service = await startService({
    JWT_TRUSTED_ISSUERS: 'build,deploy,corp',
    JWT_BUILD_ISSUER: url,
    JWT_BUILD_AUDIENCE: 'our-api',
    JWT_BUILD_CLAIMS: 'sub=build,env.name=test',
    JWT_BUILD_USER: adminEmail,
    JWT_BUILD_SCOPES: 'editions:read,members:read',
    JWT_DEPLOY_ISSUER: url,
    JWT_DEPLOY_AUDIENCE: 'our-api',
    JWT_DEPLOY_CLAIMS: 'sub=deploy',
    JWT_DEPLOY_USER: 'robot@example.com',
    JWT_DEPLOY_SCOPES: 'editions:*',
    JWT_CORP_ISSUER: corp.url,
    JWT_CORP_AUDIENCE: resourceServer,
    JWT_CORP_CLAIMS: `client_id=${clientId}`,
    JWT_CORP_USER: adminEmail,
    JWT_CORP_SCOPES: 'members:read',
  })
})
after(async () => {
  await service?.stop()
  await corp?.stop()
  server.close()
  server.closeAllConnections()
})

type Made = {
  readonly claims?: object
  readonly header?: object
  readonly key?: KeyObject
  readonly ends?: number | null
}
function make({ claims = {}, header = {}, key = pair.privateKey, ends = 300 }: Made = {}): Promise<string> {
  const now = Math.floor(service.now() / 1000)
  const token = new SignJWT({ sub: 'build', env: { name: 'test' }, iss: url, aud: 'our-api', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
    .setIssuedAt(now)
  if (ends !== null) token.setExpirationTime(now + ends)
  return token.sign(key)
}
const ask = (token: string, path = '/api/v1/members', more = {}) => service.ask('GET', path, { token, ...more })

describe('a token of a trusted issuer', () => {
  it('acts as the user that is named, within the scopes that are named', async () => {
    const token = await make()
    assert.equal((await ask(token)).status, 200)
    assert.equal((await ask(token, '/api/v1/loans')).status, 403)
    const made = await service.ask('POST', '/api/v1/members', {
      token,
      body: { email: 'x@example.com', password: 'correct horse', role: 'ADMIN' },
    })
    assert.equal(made.status, 403)
    const list = await make({ claims: { aud: ['elsewhere', 'our-api'], sub: ['build', 'x'] } })
    assert.equal((await ask(list)).status, 200)
  })

  it('of a real provider, by the grant of client credentials', async () => {
    const form = new URLSearchParams({ grant_type: 'client_credentials', resource: resourceServer })
    const authorization = `Basic ${Buffer.from(`${clientId}:${encodeURIComponent(clientSecret)}`).toString('base64')}`
    const reply = await fetch(`${corp.url}/token`, { method: 'POST', body: form, headers: { authorization } })
    const { access_token: token } = (await reply.json()) as { access_token: string }
    assert.equal((await ask(token)).status, 200)
    assert.equal((await ask(token, '/api/v1/loans')).status, 403)
  })

  it('is refused for what it says, for whom it is, and for who signed it', async () => {
    const pem = String(pair.publicKey.export({ type: 'spki', format: 'pem' }))
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const hmac = (key: string) => {
      const payload = JSON.parse(Buffer.from(good.split('.')[1] as string, 'base64url').toString())
      const text = `${encode({ alg: 'HS256', kid: 'one' })}.${encode(payload)}`
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
    }
    const good = await make()
    const vectors: Record<string, string> = {
      'another audience': await make({ claims: { aud: 'their-api' } }),
      'no audience': await make({ claims: { aud: undefined } }),
      'another subject': await make({ claims: { sub: 'somebody' } }),
      'no subject': await make({ claims: { sub: undefined } }),
      'another claim': await make({ claims: { env: { name: 'live' } } }),
      'a claim that is an object': await make({ claims: { env: { name: { test: 1 } } } }),
      'no end': await make({ ends: null }),
      'not yet': await make({ claims: { nbf: Math.floor(service.now() / 1000) + 600 } }),
      'another key, its kid the good one': await make({ key: other.privateKey }),
      'another key': await make({ key: other.privateKey, header: { kid: 'two' } }),
      'the user of nobody': await make({ claims: { sub: 'deploy' } }),
      'HS256 with the public key': hmac(pem),
      none: `${encode({ alg: 'none' })}.${good.split('.')[1]}.`,
      'another signature': good.replace(/[^.]*$/, 'A'.repeat(342)),
      'an issuer that nobody trusts': await make({ claims: { iss: 'https://evil.example' } }),
      'an issuer with a slash': await make({ claims: { iss: `${url}/` } }),
      'our own issuer': await make({ claims: { iss: 'bindery' } }),
      '8,200 characters': await make({ claims: { pad: 'x'.repeat(8200) } }),
    }
    for (const [what, token] of Object.entries(vectors)) {
      const reply = await ask(token)
      assert.deepEqual([reply.status, reply.body], [401, { error: 'Invalid token' }], what)
    }
    const late = await ask(await make({ ends: -31 }))
    assert.deepEqual([late.status, late.body], [401, { error: 'Token expired' }])
    assert.equal((await ask(await make({ ends: -20 }))).status, 200, 'clocks differ by some seconds')
  })

  it('is refused for times that are none, and taken for parts of a second', async () => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const now = Math.floor(service.now() / 1000)
    /** Signed as it is written: a number may be one that JSON cannot hold exactly. */
    const written = (times: string) => {
      const claims = JSON.stringify({ sub: 'build', env: { name: 'test' }, iss: url, aud: 'our-api' })
      const payload = Buffer.from(`${claims.slice(0, -1)},${times}}`).toString('base64url')
      const text = `${encode({ alg: 'RS256', kid: 'one' })}.${payload}`
      return `${text}.${sign('sha256', Buffer.from(text), pair.privateKey).toString('base64url')}`
    }
    const soon = `"exp":${now + 300}`
    for (const times of [
      ...['1e13', '1e20', '1e400', '9007199254740993', '"never"', `"${now + 300}"`, 'null', '[]', '{}', 'true'].map(
        (exp) => `"exp":${exp}`,
      ),
      ...['1e13', '1e400', '-1e13', '-1', '"x"', '[1]', 'true'].map((nbf) => `${soon},"nbf":${nbf}`),
      ...['1e13', '1e400', '-1e13', '-1', '"x"', '[1]', 'true', `${now + 600}`].map((iat) => `${soon},"iat":${iat}`),
    ]) {
      const reply = await ask(written(times))
      assert.deepEqual([reply.status, reply.body], [401, { error: 'Invalid token' }], times)
    }
    for (const exp of ['-1e13', '-1', '0', '0.5'])
      assert.deepEqual((await ask(written(`"exp":${exp}`))).body, { error: 'Token expired' }, exp)
    for (const times of [`"exp":${now + 300}.75`, `${soon},"nbf":0,"iat":${now}.5`, '"exp":8640000000000'])
      assert.equal((await ask(written(times))).status, 200, times)
  })

  it('ends at once with its user, and lives again with them', async () => {
    const { token: admin } = await service.admin()
    const made = await service.ask('POST', '/api/v1/members', {
      token: admin,
      body: { email: 'robot@example.com', password: 'correct horse', role: 'EDITOR' },
    })
    const token = await make({ claims: { sub: 'deploy' } })
    assert.equal((await ask(token, '/api/v1/editions/export')).status, 200, 'a route for programs')
    assert.equal(
      (await ask((await service.logIn('robot@example.com', 'correct horse')).token, '/api/v1/editions/export')).status,
      401,
    )
    assert.equal((await ask(token, '/api/v1/editions')).status, 200)
    await service.ask('POST', `/api/v1/members/${made.body.id}/bar`, { token: admin })
    assert.equal((await ask(token, '/api/v1/editions')).status, 401)
  })

  it('is checked by keys that are fetched seldom, however many unknown ones are named', async () => {
    published = [jwkOf(pair.publicKey, 'one'), jwkOf(other.publicKey, 'two')]
    const before = fetched
    const tokens = await Promise.all(
      Array.from({ length: 40 }, (_, i) => make({ key: other.privateKey, header: { kid: 'two' }, claims: { i } })),
    )
    for (const reply of await Promise.all(tokens.map((token) => ask(token))))
      assert.ok([200, 401].includes(reply.status))
    assert.ok(fetched - before <= 1, `${fetched - before} fetches`)
  })
})

it('while an issuer cannot be reached its tokens are 503, and the log has why once', async () => {
  isUp = false
  const env = {
    JWT_TRUSTED_ISSUERS: 'build',
    JWT_BUILD_ISSUER: url,
    JWT_BUILD_AUDIENCE: 'our-api',
    JWT_BUILD_CLAIMS: 'sub=*',
    JWT_BUILD_USER: adminEmail,
    JWT_BUILD_SCOPES: 'members:read',
  }
  const down = await startService(env)
  const [token, before] = [await make(), fetched]
  for (let i = 0; i < 5; i += 1) {
    const reply = await down.ask('GET', '/api/v1/members', { token })
    assert.deepEqual(
      [reply.status, reply.body, reply.headers.get('retry-after')],
      [503, { error: 'The issuer of the token cannot be asked for its keys, try again' }, '5'],
    )
  }
  assert.equal(fetched - before, 2, 'both addresses, once')
  assert.equal(down.logged.filter((line) => line.includes('cannot be asked for its keys')).length, 1)
  assert.equal((await down.ask('GET', '/api/v1/members', { token: (await down.admin()).token })).status, 200)
  isUp = true
  down.turn(6_000)
  assert.equal((await down.ask('GET', '/api/v1/members', { token })).status, 200)
  await down.stop()
})

const usual = {
  JWT_TRUSTED_ISSUERS: 'a',
  JWT_A_ISSUER: 'https://a.example',
  JWT_A_AUDIENCE: 'b',
  JWT_A_CLAIMS: 'sub=x',
  JWT_A_USER: 'u@example.com',
  JWT_A_SCOPES: 'members:read',
}
const refused: readonly (readonly [Record<string, string>, RegExp])[] = [
  [{ JWT_TRUSTED_ISSUERS: 'A' }, /^JWT_TRUSTED_ISSUERS must be names in small letters/],
  [{ JWT_TRUSTED_ISSUERS: 'a,a' }, /^JWT_TRUSTED_ISSUERS has a twice$/],
  [{ ...usual, JWT_A_ISSUER: 'http://a.example' }, /^JWT_A_ISSUER must be an address such as https/],
  [{ ...usual, JWT_A_AUDIENCE: '' }, /^JWT_A_AUDIENCE is missing/],
  [{ ...usual, JWT_A_CLAIMS: '' }, /^JWT_A_CLAIMS is missing/],
  [{ ...usual, JWT_A_CLAIMS: 'sub' }, /^JWT_A_CLAIMS must be claims with their values/],
  [{ ...usual, JWT_A_SCOPES: 'moons:read' }, /a: scopes has moons:read, which names no resource/],
  [
    { ...usual, OIDC_PROVIDERS: 'p', OIDC_P_ISSUER: 'https://a.example', OIDC_P_CLIENT_ID: 'b' },
    /^JWT_A_AUDIENCE must not be the client id of OIDC/,
  ],
  [
    { OIDC_PROVIDERS: 'github', OIDC_GITHUB_CLIENT_ID: 'x' },
    /^OIDC_GITHUB_ISSUER is missing: GitHub logs people in by OAuth 2.0 alone/,
  ],
  [{ OIDC_PROVIDERS: 'google' }, /^OIDC_GOOGLE_CLIENT_ID is missing/],
  [
    { OIDC_PROVIDERS: 'google', OIDC_GOOGLE_CLIENT_ID: 'x', OIDC_GOOGLE_ROLES: 'groups:a' },
    /^OIDC_GOOGLE_ROLES must be a claim/,
  ],
  [{ OIDC_PROVIDERS: 'google', OIDC_GOOGLE_CLIENT_ID: 'x', HOST: '0.0.0.0' }, /^PUBLIC_URL is missing/],
  [
    { OIDC_PROVIDERS: 'google', OIDC_GOOGLE_CLIENT_ID: 'x' },
    /^OIDC_PROVIDERS needs users with linked accounts: accounts\(\{ …, linkedAccounts: true \}\) has them$/,
  ],
]
for (const [env, message] of refused)
  it(`a start says ${message.source}`, () => assert.rejects(startOf(resources, { env, on: 'sqlite' }), { message }))
