/**
 * An operator's steps after a leak: end sessions and keys on running servers, replace the secret,
 * raise the log level.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { currentSecrets, replaceSecret } from '../../src/accounts/tokens/stored-secrets.ts'
import { until } from '../helpers/until.ts'
import { type Bindery, makeBindery } from './bindery.ts'

type Server = { readonly address: string; log(): string }

async function startServer(t: TestContext, bindery: Bindery): Promise<Server> {
  const env = { PORT: '0', ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: 'root-password' }
  const server = await bindery.start(['serve'], { env })
  const closed = once(server, 'close')
  t.after(async () => {
    server.kill('SIGTERM')
    await closed
  })
  let log = ''
  server.stdout?.on('data', (chunk) => {
    log += chunk
  })
  for (let i = 0; i < 12_000; i += 1) {
    const address = /ready on (http:\/\/[^"\s]+)/.exec(log)?.[1]
    if (address) return { address, log: () => log }
    await sleep(20)
  }
  throw new Error(`the server did not start: ${log}`)
}

async function logIn({ address }: Server): Promise<{ token: string; cookie: string }> {
  const body = JSON.stringify({ email: 'root@example.com', password: 'root-password' })
  const reply = await fetch(`${address}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  assert.equal(reply.status, 200)
  const { accessToken } = (await reply.json()) as { accessToken: string }
  return {
    token: accessToken,
    cookie:
      reply.headers
        .getSetCookie()
        .find((one) => one.startsWith('refreshToken'))
        ?.split(';')[0] ?? '',
  }
}

const asks = async ({ address }: Server, headers: Record<string, string>) =>
  (await fetch(`${address}/api/v1/editions?limit=1`, { headers })).status

async function within(isSo: () => Promise<boolean>): Promise<boolean> {
  await until(isSo, 'it comes', 50)
  return true
}

test('on servers that run', async (t: TestContext) => {
  const bindery = makeBindery(t)
  const first = await startServer(t, bindery)
  const { token, cookie } = await logIn(first)
  const bearer = { authorization: `Bearer ${token}` }
  assert.equal(await asks(first, bearer), 200)

  // The secret: who is logged in stays so, and servers with the old and the new one take each
  // other's tokens.
  const rotated = await bindery.run(['secrets', 'rotate'])
  assert.equal(rotated.code, 0, rotated.stderr)
  assert.match(rotated.stderr, /Restart every server/)
  const second = await startServer(t, bindery)
  const fresh = { authorization: `Bearer ${(await logIn(second)).token}` }
  const kidOf = ({ authorization }: { authorization: string }) =>
    JSON.parse(Buffer.from(authorization.slice(7).split('.')[0] ?? '', 'base64url').toString()).kid
  assert.notEqual(kidOf(bearer), kidOf(fresh))
  assert.equal(await asks(second, bearer), 200, 'an old token on a new server')
  assert.equal(await asks(first, fresh), 200, 'a new token on an old server')

  // The log.
  assert.equal((await bindery.run(['log-level', 'warn', '--for', '5m'])).code, 0)
  assert.ok(await within(async () => first.log().includes('Logging at level warn')))
  const before = first.log().length
  await asks(first, bearer)
  await sleep(400)
  assert.ok(!first.log().slice(before).includes('requestId'), first.log().slice(before))
  assert.equal((await bindery.run(['log-level', 'usual'])).code, 0)
  assert.ok(await within(async () => first.log().includes('Logging at level info')))
  await asks(first, bearer)
  assert.ok(await within(async () => first.log().slice(before).includes('requestId')))

  // Keys of one user.
  const keys = await Promise.all(
    ['a', 'b'].map(
      async (name) =>
        (await bindery.values('key', 'create', '--user', 'root@example.com', '--name', name))[0]?.key as string,
    ),
  )
  for (const key of keys) assert.equal(await asks(first, { 'x-api-key': key }), 200)
  const revoked = await bindery.run(['keys', 'revoke', '--user', 'root@example.com'])
  assert.equal(revoked.code, 0, revoked.stderr)
  for (const key of keys) assert.ok(await within(async () => (await asks(first, { 'x-api-key': key })) === 401))

  // The sessions of all users.
  const ended = await bindery.run(['sessions', 'end', '--all'])
  assert.equal(ended.code, 0, ended.stderr)
  assert.match(ended.stdout, /^2 sessions ended\.$/m)
  for (const server of [first, second]) {
    assert.ok(await within(async () => (await asks(server, bearer)) === 401))
    assert.ok(await within(async () => (await asks(server, fresh)) === 401))
  }
  assert.equal((await fetch(`${first.address}/auth/refresh`, { method: 'POST', headers: { cookie } })).status, 401)
})

test('called wrongly', async (t: TestContext) => {
  const bindery = makeBindery(t)
  const [secret, ...wrong] = await Promise.all([
    bindery.run(['secrets', 'rotate'], { env: { JWT_SECRET: 'x'.repeat(40) } }),
    ...[
      ['log-level', 'loud'],
      ['log-level', 'debug', '--for', 'ever'],
      ['keys', 'revoke'],
      ['sessions', 'end'],
    ].map((args) => bindery.run(args)),
  ])
  assert.equal(secret?.code, 1)
  assert.match(secret?.stderr ?? '', /JWT_SECRET_PREVIOUS/)
  for (const { code, stderr } of wrong) assert.equal(code, 2, stderr)
})

test('a kept secret, replaced', () => {
  const nowMs = Date.parse('2026-01-31T12:00:00.000Z')
  const text = replaceSecret('old\n', 'new', { graceMs: 60_000, nowMs })
  assert.equal(text, 'new\nold until=2026-01-31T12:01:00.000Z')
  assert.deepEqual(currentSecrets(text, nowMs), ['new', 'old'])
  assert.deepEqual(currentSecrets(text, nowMs + 60_000), ['new'])
  assert.deepEqual(currentSecrets(replaceSecret(text, 'newest', { graceMs: 0, nowMs }), nowMs), ['newest'])
  assert.equal(
    replaceSecret(text, 'newest', { graceMs: 600_000, nowMs }).split('\n')[2],
    'old until=2026-01-31T12:01:00.000Z',
  )
})
