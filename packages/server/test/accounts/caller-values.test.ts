/**
 * Values of the caller in rules. Fields of the own user record act at once when they change. The
 * log-in is one where its address is proven, and so are claims of tokens of trusted issuers.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { SignJWT } from 'jose'
import {
  accounts,
  anyOf,
  anyone,
  caller,
  defineResource,
  id,
  integer,
  operator,
  owner,
  password,
  roleField,
  text,
  where,
} from '../../src/index.ts'
import { adminEmail, startService } from '../../src/testing/index.ts'

const self = anyOf([owner('id'), operator])
const users = defineResource({
  name: 'user',
  path: '/users',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'USER', write: operator }),
    team: text(),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  list: { style: 'page' },
  access: { list: operator, create: anyone, get: self, update: self },
})
const noteOf = (name: 'letter' | 'plan' | 'order', value: 'email' | 'team' | 'claims.org.name') =>
  defineResource({
    name,
    path: `/${name}s`,
    fields: { id: id(), to: text({ required: true }) },
    list: { style: 'page' },
    access: { list: where({ to: caller(value) }), create: operator },
  })

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const issuer = createServer((request, response) => {
  const jwk = { ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }
  const body = request.url === '/keys' ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/keys` }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`

const service = await startService(
  [
    noteOf('letter', 'email'),
    noteOf('plan', 'team'),
    noteOf('order', 'claims.org.name'),
    defineResource({
      name: 'seat',
      path: '/seats',
      fields: { id: id(), row: integer() },
      list: { style: 'page' },
      access: { list: where({ row: caller('claims.org.name') }), create: operator },
    }),
    ...accounts({ roles: ['USER', 'ADMIN'], users }),
  ],
  {
    env: {
      LOGIN_LINK: 'on',
      JWT_TRUSTED_ISSUERS: 'build',
      JWT_BUILD_ISSUER: url,
      JWT_BUILD_AUDIENCE: 'our-api',
      JWT_BUILD_CLAIMS: 'sub=build',
      JWT_BUILD_USER: adminEmail,
      JWT_BUILD_SCOPES: 'orders:read seats:read',
    },
  },
)
after(async () => {
  await service.stop()
  issuer.close()
  issuer.closeAllConnections()
})
const { ask } = service
const admin = await service.admin()

/** A caller without the value is refused, as no record could be shown. */
async function shown(path: string, token: string): Promise<string[]> {
  const { status, text, body } = await ask('GET', `/api/v1${path}`, { token })
  if (status === 403) return []
  assert.equal(status, 200, text)
  return body.data.map(({ to }: { to: string }) => to)
}
const write = (path: string, to: string) => ask('POST', `/api/v1${path}`, { body: { to }, token: admin.token })

describe('a rule that compares with the caller', () => {
  it('sees a change of the own record at once', async () => {
    await write('/plans', 'red')
    const ann = await service.person()
    assert.deepEqual(await shown('/plans', ann.token), [])
    await ask('PATCH', `/api/v1/users/${ann.id}`, { body: { team: 'red' }, token: ann.token })
    assert.deepEqual(await shown('/plans', ann.token), ['red'])
    await ask('PATCH', `/api/v1/users/${ann.id}`, { body: { team: null }, token: ann.token })
    assert.deepEqual(await shown('/plans', ann.token), [])
  })

  it('sees the log-in only where its address is proven', async () => {
    const email = 'bob@example.com'
    await write('/letters', email)
    const secret = 'correct horse battery'
    assert.equal((await ask('POST', '/api/v1/users', { body: { email, password: secret } })).status, 201)
    const stranger = await service.logIn(email, secret)
    assert.deepEqual(await shown('/letters', stranger.token), [])
    await ask('POST', '/auth/login-link', { body: { email } })
    await service.sweep()
    const folder = join(service.folder, 'mail')
    const mails = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    const token = /log-in\?token=([\w-]+)/.exec(mails.find((mail) => mail.includes('log-in?token=')) ?? '')?.[1]
    const proven = await ask('POST', '/auth/login-link', { body: { token } })
    assert.equal(proven.status, 200, proven.text)
    assert.deepEqual(await shown('/letters', proven.body.accessToken), [email])
    const given = await service.person()
    await write('/letters', given.email)
    assert.deepEqual(await shown('/letters', given.token), [given.email], 'an operator gave it')
  })

  it('sees claims of a token of a trusted issuer', async () => {
    await write('/orders', 'acme')
    const signed = (claims: object) =>
      new SignJWT({ sub: 'build', iss: url, aud: 'our-api', ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setIssuedAt(Math.floor(service.now() / 1000))
        .setExpirationTime(Math.floor(service.now() / 1000) + 300)
        .sign(keys.privateKey)
    assert.deepEqual(await shown('/orders', await signed({ org: { name: 'acme' } })), ['acme'])
    assert.deepEqual(await shown('/orders', await signed({ org: { name: 'other' } })), [])
    assert.deepEqual(await shown('/orders', await signed({})), [])
    assert.deepEqual(await shown('/orders', admin.token), [])
    assert.deepEqual(await shown('/seats', await signed({ org: { name: 'no number' } })), [])
  })
})
