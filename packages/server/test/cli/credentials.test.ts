/**
 * Users and keys created and changed on the command line, also while a server uses the same
 * database.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { parseExpiry } from '../../src/accounts/keys/key-commands.ts'
import { type Bindery, makeBindery } from './bindery.ts'

/** Starts a server with `bindery serve`; the test stops it at its end. */
async function startServer(t: TestContext, bindery: Bindery): Promise<string> {
  const server = await bindery.start(['serve'], {
    env: { PORT: '0', ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: 'root-password' },
  })
  const closed = once(server, 'close')
  t.after(async () => {
    server.kill('SIGTERM')
    await closed
  })
  let log = ''
  for await (const chunk of server.stdout as NodeJS.ReadableStream) {
    log += chunk
    const address = /ready on (http:\/\/[^"\s]+)/.exec(log)?.[1]
    if (address) return address
  }
  throw new Error(`the server did not start: ${log}`)
}

function login(address: string, email: string, password: string): Promise<Response> {
  const body = JSON.stringify({ email, password })
  return fetch(`${address}/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

describe('user and key', { concurrency: 2 }, () => {
  it('user create makes a password once when none is given, list shows no secret', async (t: TestContext) => {
    const bindery = makeBindery(t)
    await bindery.run(['migrate'])
    const { code, stdout, stderr } = await bindery.run([
      'user',
      'create',
      '--email',
      'ann@example.com',
      '--role',
      'EDITOR',
      '--name',
      'Ann',
    ])
    assert.equal(code, 0)
    assert.match(stdout, /^password +[\w-]{20}$/m)
    assert.match(stderr, /shown only now/)
    const [bob] = await bindery.values('user', 'create', '--email', 'bob@example.com', '--password', 'correct horse')
    assert.equal(bob?.role, 'USER')
    assert.ok(!Object.hasOwn(bob as object, 'password'))
    const listed = await bindery.run(['user', 'list'])
    assert.match(listed.stdout, /^ID +EMAIL +NAME +ROLE +STATUS +CREATED AT\n/)
    assert.match(listed.stdout, /ann@example\.com +Ann +EDITOR +ACTIVE/)
    assert.ok(!listed.stdout.includes('argon2'))
    assert.deepEqual(
      (await bindery.values('user', 'list', '--role', 'EDITOR')).map((one) => one.email),
      ['ann@example.com'],
    )
  })

  it('refuses what the API would refuse, with the same words', async (t: TestContext) => {
    const bindery = makeBindery(t)
    await bindery.run(['migrate'])
    await bindery.values('user', 'create', '--email', 'ann@example.com')
    const cases: [string[], string][] = [
      [['user', 'create', '--email', 'ANN@example.com'], 'email is already taken'],
      [['user', 'create', '--email', 'bob@example.com', '--password', 'short'], 'password must have 8 to 1024 bytes'],
      [['user', 'set', 'nobody@example.com', '--role', 'ADMIN'], 'Member nobody@example.com not found'],
      [['key', 'create', '--user', 'nobody@example.com', '--name', 'k'], 'Member nobody@example.com not found'],
    ]
    for (const [args, message] of cases) {
      const { code, stderr } = await bindery.run(args)
      assert.deepEqual([code, stderr], [1, `error: ${message}\n`])
    }
  })

  it('acts at once on a server that runs on the same database', async (t: TestContext) => {
    const bindery = makeBindery(t)
    const address = await startServer(t, bindery)
    const created = await bindery.run(
      ['user', 'create', '--email', 'ann@example.com', '--role', 'EDITOR', '--password-stdin'],
      { input: 'first-password\n' },
    )
    assert.equal(created.code, 0, created.stderr)
    assert.equal((await login(address, 'ann@example.com', 'first-password')).status, 200)

    const made = await bindery.run([
      'key',
      'create',
      '--user',
      'ANN@example.com',
      '--name',
      'ci',
      '--scopes',
      'editions:write',
      '--expires',
      '90d',
    ])
    assert.match(made.stdout, /^bk_[\w-]{51}\n$/)
    const key = made.stdout.trim()
    const post = () =>
      fetch(`${address}/api/v1/editions`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: '{"title":"Saw","price":9.5}',
      })
    assert.equal((await post()).status, 201)

    const [listed] = await bindery.values('key', 'list', '--user', 'ann@example.com')
    assert.equal(listed?.user, 'ann@example.com')
    assert.deepEqual(listed?.scopes, ['editions:write'])
    assert.ok(!JSON.stringify(listed).includes(key))
    const [revoked] = await bindery.values('key', 'revoke', String(listed?.id))
    assert.equal(revoked?.active, false)
    assert.equal((await post()).status, 401)

    const set = await bindery.run(['user', 'set', 'ann@example.com', '--password-stdin', '--status', 'BARRED'], {
      input: 'second-password',
    })
    assert.match(set.stdout, /status +BARRED/)
    assert.equal((await login(address, 'ann@example.com', 'second-password')).status, 401)
    await bindery.values('user', 'set', 'ann@example.com', '--status', 'ACTIVE')
    assert.equal((await login(address, 'ann@example.com', 'second-password')).status, 200)
  })
})

describe('parseExpiry', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  it('takes spans and times to come', () => {
    assert.equal(parseExpiry('90d', now), '2026-04-01T00:00:00.000Z')
    assert.equal(parseExpiry('12h', now), '2026-01-01T12:00:00.000Z')
    assert.equal(parseExpiry('2027-01-31T12:00:00Z', now), '2027-01-31T12:00:00Z')
  })
  it('refuses the rest', () => {
    for (const text of ['soon', '0d', '5', '2025-01-01', '90m'])
      assert.throws(() => parseExpiry(text, now), { name: 'UsageError' })
  })
})
