/**
 * Start: an invalid value stops it with one clear line, a good start prints the address last, and a
 * second start finds the data.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readConfig, variables } from '../../src/config.ts'
import { StartError } from '../../src/errors.ts'
import { start } from '../../src/service/start.ts'
import {
  adminEmail,
  applicationFolder,
  makeAsk,
  password,
  recordingLog,
  removeFolder,
  resources,
  type SpawnOptions,
  spawnServer,
  temporaryFolder,
} from '../helpers/application.ts'
import { long } from '../helpers/long.ts'
import { stuckMs } from '../helpers/until.ts'

const badValues: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['PORT', { PORT: 'http' }],
  ['PORT', { PORT: '65536' }],
  ['PORT', { PORT: '-1' }],
  ['PORT', { PORT: '3000.5' }],
  ['DATABASE_URL', { DATABASE_URL: 'mysql://localhost/x' }],
  ['DATABASE_URL', { DATABASE_URL: 'sqlite:' }],
  ['DATABASE_URL', { DATABASE_URL: 'sqlite::memory:' }],
  ['JWT_SECRET', { JWT_SECRET: 'x'.repeat(31) }],
  ['JWT_SECRET_PREVIOUS', { JWT_SECRET_PREVIOUS: 'short' }],
  ['ADMIN_PASSWORD', { ADMIN_EMAIL: 'a@b' }],
  ['ADMIN_EMAIL', { ADMIN_PASSWORD: 'long enough' }],
  ['ADMIN_EMAIL', { ADMIN_EMAIL: 'nobody', ADMIN_PASSWORD: 'long enough' }],
  ['ADMIN_PASSWORD', { ADMIN_EMAIL: 'a@b', ADMIN_PASSWORD: 'short' }],
  ['ADMIN_PASSWORD', { ADMIN_EMAIL: 'a@b', ADMIN_PASSWORD: 'x'.repeat(1025) }],
  ['SIGN_UP', { SIGN_UP: 'maybe' }],
  ['CURRENCY', { CURRENCY: 'euro' }],
  ['CURRENCY', { CURRENCY: 'usd' }],
  ['RATE_LIMIT', { RATE_LIMIT: '600' }],
  ['RATE_LIMIT', { RATE_LIMIT: '0/1m' }],
  ['RATE_LIMIT', { RATE_LIMIT: '600/0s' }],
  ['RATE_LIMIT', { RATE_LIMIT: '600/1d' }],
  ['RATE_LIMIT', { RATE_LIMIT: `${'9'.repeat(400)}/1m` }],
  ['RATE_LIMIT', { RATE_LIMIT: `auth=600/${'9'.repeat(400)}h` }],
  ['SIGN_UP_LIMIT', { SIGN_UP_LIMIT: `30/${'9'.repeat(12)}h` }],
  ['SIGN_UP_LIMIT', { SIGN_UP_LIMIT: '30' }],
  ['SESSION_IDLE', { SESSION_IDLE: '4m' }],
  ['SESSION_IDLE', { SESSION_IDLE: '8d' }],
  ['SESSION_IDLE', { SESSION_IDLE: '30' }],
  ['AUDIT_DAYS', { AUDIT_DAYS: '0' }],
  ['AUDIT_DAYS', { AUDIT_DAYS: 'ever' }],
  ['JOBS_KEEP', { JOBS_KEEP: '7' }],
  ['JOBS_KEEP', { JOBS_KEEP: '0d' }],
  ['JOBS_FAILED_KEEP', { JOBS_FAILED_KEEP: '90m' }],
  ['EFFECTS_FAILED_KEEP', { EFFECTS_FAILED_KEEP: 'ever' }],
  ['PROXY_PLACE_HEADER', { PROXY_PLACE_HEADER: 'CF-IPCountry' }],
  ['PROXY_PLACE_HEADER', { PROXY_PLACE_HEADER: 'a b', TRUST_PROXY: 'true' }],
  ['TRUST_PROXY', { TRUST_PROXY: 'yes' }],
  ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/8, nonsense' }],
  ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/99' }],
  ['CORS_ORIGINS', { CORS_ORIGINS: '*' }],
  ['CORS_ORIGINS', { CORS_ORIGINS: 'https://app.example/' }],
  ['COOKIE_SECURE', { COOKIE_SECURE: 'no' }],
  ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ['WORKERS', { WORKERS: '0' }],
  ['WORKERS', { WORKERS: '65' }],
]

test('every bad value is refused with one line that begins with its name', () => {
  for (const [name, env] of badValues) {
    const check = (error: unknown) =>
      error instanceof StartError && error.message.startsWith(`${name} `) && !error.message.includes('\n')
    assert.throws(() => readConfig(env), check, JSON.stringify(env))
  }
})

test('a secret is not repeated in the refusal', () => {
  assert.throws(
    () => readConfig({ JWT_SECRET: 'my short secret' }),
    (error: Error) => !error.message.includes('my short'),
  )
  assert.throws(
    () => readConfig({ ADMIN_EMAIL: 'a@b', ADMIN_PASSWORD: 'hunter2' }),
    (error: Error) => !error.message.includes('hunter2'),
  )
})

test('an empty value is an absent one', () => {
  const empty = Object.fromEntries(variables.map(({ name }) => [name, '']))
  // Functions of a configuration read it later: two are never equal.
  const valuesOf = (config: object) => Object.entries(config).filter(([, value]) => typeof value !== 'function')
  assert.deepEqual(valuesOf(readConfig(empty)), valuesOf(readConfig({})))
})

const folder = temporaryFolder()
after(() => removeFolder(folder))
const place = (name: string) => join(folder, name)

/** Runs a process that must fail to start; returns what it printed and its exit code. */
async function fails(options: Partial<SpawnOptions>): Promise<{ code: number | null; stderr: string }> {
  const server = spawnServer(options)
  const timer = setTimeout(() => server.child.kill('SIGKILL'), stuckMs)
  const { code } = await server.ended
  clearTimeout(timer)
  assert.doesNotMatch(server.stdout(), /is ready/)
  return { code, stderr: server.stderr() }
}

async function runs<T>(
  options: Partial<SpawnOptions>,
  look: (server: ReturnType<typeof spawnServer> & { url: string }) => Promise<T>,
): Promise<T> {
  const server = spawnServer(options)
  try {
    return await look({ ...server, url: await server.ready() })
  } finally {
    assert.equal((await server.stop()).code, 0)
  }
}

describe('a start that fails says one line and exits with 1', { concurrency: 3 }, () => {
  const notFolder = place('a-file')
  writeFileSync(notFolder, '')
  mkdirSync(place('a-folder.db'))
  writeFileSync(place('corrupt.db'), 'this is no database '.repeat(1000))
  writeFileSync(place('short-secret'), '')
  before(async () => {
    const env = { PORT: '0', DATA_DIR: place('weak'), JWT_SECRET: 'long enough for a secret that signs tokens' }
    await (await start(readConfig(env), resources, { log: recordingLog([]) })).stop()
    writeFileSync(join(place('weak'), 'jwt-secret'), 'short')
  })
  const reasons: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
    ['a bad value', { PORT: 'http' }, /^PORT must be a number/],
    ['a short secret', { JWT_SECRET: 'short' }, /^JWT_SECRET must have at least 32 bytes/],
    ['a weak secret in the file', { DATA_DIR: place('weak') }, /jwt-secret holds no secret/],
    ['a data folder that is a file', { DATA_DIR: notFolder }, /a-file/],
    [
      'a database that is a folder',
      { DATABASE_URL: `sqlite:${place('a-folder.db')}` },
      /^Cannot open the database .*a-folder\.db/,
    ],
    ['a database below a file', { DATABASE_URL: `sqlite:${notFolder}/x.db` }, /a-file/],
    ['a corrupt database', { DATABASE_URL: `sqlite:${place('corrupt.db')}` }, /corrupt\.db.*not a database/],
    ['an address that is not ours', { HOST: '192.0.2.1' }, /192\.0\.2\.1/],
  ]
  const asProcesses = ['a bad value']
  for (const [name, env, message] of reasons) {
    if (!asProcesses.includes(name))
      test(name, async () => {
        const config = () => readConfig({ PORT: '0', DATA_DIR: place(`at ${name}`), ...env })
        const check = (error: unknown) =>
          error instanceof StartError && message.test(error.message) && !error.message.includes('\n')
        await assert.rejects(async () => start(config(), resources, { log: recordingLog([]) }), check)
      })
    else
      test(`${name}, as a process`, async () => {
        const { code, stderr } = await fails({ env })
        assert.match(stderr, message)
        assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
        assert.equal(code, 1)
      })
  }
  // A port in use, with and without workers: `service/first-start.test.ts`.
})

test('LOG_LEVEL=silent still says where the service is; a database that lost its second half is refused in one line', async () => {
  const env = { DATA_DIR: place('halved'), LOG_LEVEL: 'silent' }
  await runs({ env }, async ({ lines }) => assert.equal(lines().length, 1))
  const file = join(place('halved'), 'bindery.db')
  truncateSync(file, Math.floor(statSync(file).size / 2))
  const check = (error: unknown) =>
    error instanceof StartError && /bindery\.db.*malformed/.test(error.message) && !error.message.includes('\n')
  await assert.rejects(start(readConfig({ PORT: '0', ...env }), resources, { log: recordingLog([]) }), check)
})

test('the ready line is the last one, names the address, and what is open to anyone stands before it', async () => {
  await runs({}, async ({ url, lines, stdout, stderr }) => {
    const all = lines()
    assert.equal(all.at(-1)?.msg, `Bindery is ready on ${url}`)
    assert.match(stdout(), /\n$/)
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.equal((await makeAsk(url)('GET', '/readyz')).status, 200)
    const open = all.filter((line) => line.level === 'warn').map((line) => line.msg)
    assert.deepEqual(
      open,
      ['create shelves', 'replace shelves', 'update shelves', 'delete shelves', 'create members'].map(
        (what) => `Open to anyone: ${what}`,
      ),
    )
    assert.equal(stderr(), '')
  })
})

test('it starts through a symbolic link, as a folder of releases has one to the current; closed sign-up is not open to anyone', async () => {
  symlinkSync(applicationFolder, place('current'))
  const command = [process.execPath, join(place('current'), 'main.ts')] as const
  await runs({ command, cwd: folder, env: { SIGN_UP: 'closed' } }, async ({ url, stdout }) => {
    assert.equal((await fetch(`${url}/livez`)).status, 200)
    assert.doesNotMatch(stdout(), /create members/)
  })
})

test('a second start keeps the secret, the records and the people', async () => {
  const env = { DATA_DIR: place('kept') }
  const secretFile = join(place('kept'), 'jwt-secret')
  const logIn = (url: string) => makeAsk(url)('POST', '/auth/login', { body: { email: adminEmail, password } })
  const token = await runs({ env }, async ({ url, stdout }) => {
    assert.match(stdout(), /Made the first ADMIN/)
    assert.equal((await makeAsk(url)('POST', '/shelves', { body: { label: 'kept', room: 'A' } })).status, 201)
    return (await logIn(url)).body.accessToken as string
  })
  const secret = readFileSync(secretFile, 'utf8')
  assert.equal(statSync(secretFile).mode & 0o777, 0o600)
  assert.ok(Buffer.byteLength(secret.trim()) >= 32)
  await runs({ env: { ...env, ADMIN_PASSWORD: 'another password' } }, async ({ url, stdout }) => {
    assert.doesNotMatch(stdout(), /first ADMIN/)
    const ask = makeAsk(url)
    assert.equal((await ask('GET', '/shelves/1')).body.label, 'kept')
    assert.equal((await logIn(url)).status, 200)
    assert.equal((await ask('GET', '/api/v1/members', { token })).status, 200, 'a token of the first start')
  })
  assert.equal(readFileSync(secretFile, 'utf8'), secret)
})

test('without ADMIN_EMAIL a random password is shown once, and works', async () => {
  const env = { DATA_DIR: place('random'), ADMIN_EMAIL: '', ADMIN_PASSWORD: '' }
  await runs({ env }, async ({ url, stderr, stdout }) => {
    const found = /admin@localhost with password (\S+)/.exec(stderr())
    assert.ok(found)
    assert.equal(stderr().split(found[1] as string).length, 2)
    assert.ok(!stdout().includes(found[1] as string), 'it is not in the log')
    const reply = await makeAsk(url)('POST', '/auth/login', { body: { email: 'admin@localhost', password: found[1] } })
    assert.equal(reply.status, 200)
  })
  await runs({ env }, async ({ stderr, stdout }) => assert.doesNotMatch(stderr() + stdout(), /password/))
})

// `service/first-start.test.ts` starts two at once, with an ADMIN that they make up
test('two processes that start at once on a new folder both serve, with one ADMIN', long, async () => {
  const env = { DATA_DIR: place('together') }
  const servers = [spawnServer({ env }), spawnServer({ env })]
  const urls = await Promise.all(servers.map((server) => server.ready()))
  for (const url of urls)
    assert.equal((await makeAsk(url)('POST', '/auth/login', { body: { email: adminEmail, password } })).status, 200)
  assert.deepEqual(
    (await Promise.all(servers.map((server) => server.stop()))).map(({ code }) => code),
    [0, 0],
  )
})
