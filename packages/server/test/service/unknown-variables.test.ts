/**
 * Unknown variables: the start warns about one that resembles a setting, and ignores other
 * programs' variables.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig, variables } from '../../src/config.ts'
import { removeFolder, spawnServer, temporaryFolder } from '../../src/testing/index.ts'

const meant = (env: Record<string, string>) =>
  readConfig(env)
    .unknownVariables([])
    .map((one) => one.replace(' is set, and nothing reads it; did you mean', ''))

test('what was meant', () => {
  const slips = {
    RATELIMIT: 'RATE_LIMIT',
    RATE_LIMITS: 'RATE_LIMIT',
    BINDERY_RATE_LIMIT: 'RATE_LIMIT',
    'rate-limit': 'RATE_LIMIT',
    DATABSE_URL: 'DATABASE_URL',
    JWT_SECRET_PREVOUS: 'JWT_SECRET_PREVIOUS',
    ADMIN_PASWORD: 'ADMIN_PASSWORD',
    CORS_ORIGIN: 'CORS_ORIGINS',
    WORKER: 'WORKERS',
    COOKIES_SECURE: 'COOKIE_SECURE',
  }
  for (const [name, ours] of Object.entries(slips)) assert.deepEqual(meant({ [name]: 'x' }), [`${name} ${ours}?`])
})

test('what is somebody else’s, and what is right', () => {
  const others = [
    'PATH',
    'HOME',
    'HOSTNAME',
    'HOSTTYPE',
    'LANG',
    'PWD',
    'PGHOST',
    'PGDATA',
    'POSTGRES_PASSWORD',
    'NODE_ENV',
    'CI',
    'TERM',
  ]
  const more = [
    'XDG_DATA_DIRS',
    'SHLVL',
    'MAIL',
    'USER',
    'TZ',
    'npm_config_loglevel',
    'AWS_SECRET_ACCESS_KEY',
    'KUBERNETES_PORT',
    'SSH_AUTH_SOCK',
  ]
  for (const name of [...others, ...more]) assert.deepEqual(meant({ [name]: '1' }), [], name)
  for (const { name } of variables) assert.ok(!meant({ [name]: '' }).length, name)
  assert.deepEqual(meant({ RATE_LIMIT: '5/1m', RATELIMIT: '5/1m' }), [], 'the right one is set too')
  assert.deepEqual(meant({ RATELIMIT: '' }), [])
})

test('what is of a provider or an issuer that is not named', () => {
  const corp = {
    OIDC_CORP_ISSUER: 'https://corp.example',
    OIDC_CORP_CLIENT_ID: 'x',
    OIDC_CORP_CLIENT_SECRET: 's',
  }
  const provider = 'and OIDC_PROVIDERS does not name it: nothing reads it'
  assert.deepEqual(
    readConfig(corp).unknownVariables([]),
    Object.keys(corp).map((name) => `${name} is set, ${provider}`),
  )
  const google = { OIDC_PROVIDERS: 'google', OIDC_GOOGLE_CLIENT_ID: 'x' }
  assert.deepEqual(readConfig(google).unknownVariables([]), [])
  const issuer = 'and JWT_TRUSTED_ISSUERS does not name it: nothing reads it'
  assert.deepEqual(readConfig({ JWT_CI_USER: 'a@b.example' }).unknownVariables([]), [`JWT_CI_USER is set, ${issuer}`])
  for (const env of [{}, google]) {
    const roles = { ...env, OIDC_MY_CORP_ROLES: 'groups:staff=EDITOR' }
    const says =
      'OIDC_MY_CORP_ROLES gives roles by a provider that OIDC_PROVIDERS does not name: add the provider there'
    assert.throws(() => readConfig(roles), { name: 'StartError', message: new RegExp(`^${says}`) })
  }
  assert.deepEqual(readConfig({ OIDC_MY_CORP_ROLES: '' }).unknownVariables([]), [])
})

test('a start says so, and goes on', async (t) => {
  const server = spawnServer({
    command: ['notes-main.ts'],
    cwd: import.meta.dirname,
    env: { RATELIMIT: '5/1m', DATABASE_URL: '' },
  })
  t.after(() => server.stop('SIGKILL'))
  await server.ready()
  const said = server.lines().filter(({ msg }) => String(msg).includes('RATELIMIT'))
  assert.equal(said.length, 1)
  assert.deepEqual(
    [said[0]?.level, said[0]?.msg],
    ['warn', 'RATELIMIT is set, and nothing reads it; did you mean RATE_LIMIT?'],
  )
})

test('secrets come from files too, and are never shown', (t) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const fileOf = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const secret = 'hush '.repeat(8)
  const jwt = fileOf('jwt', `${secret}\r\n`)
  const config = readConfig({
    JWT_SECRET_FILE: jwt,
    JWT_SECRET: '',
    ADMIN_EMAIL: 'a@example.com',
    ADMIN_PASSWORD_FILE: fileOf('admin', 'a long password of nobody\n'),
    DATABASE_URL_FILE: fileOf('database', `sqlite:${join(folder, 'own.db')}\n`),
    OIDC_PROVIDERS: 'corp',
    OIDC_CORP_ISSUER: 'https://corp.example',
    OIDC_CORP_CLIENT_ID: 'shop',
    OIDC_CORP_CLIENT_SECRET_FILE: fileOf('corp', 'of corp'),
    PUBLIC_URL: 'https://shop.example',
    PORT_FILE: jwt,
  })
  assert.equal(config.jwtSecret, secret)
  assert.equal(config.admin?.password, 'a long password of nobody')
  assert.deepEqual(config.database.setup, { path: join(folder, 'own.db'), dataDir: config.dataDir })
  assert.equal(config.oidcProviders[0]?.clientSecret, 'of corp')
  assert.deepEqual(config.unknownVariables([]), [
    'PORT_FILE is set, and nothing reads it: only secrets come from files',
  ])
  const refused: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ JWT_SECRET: secret, JWT_SECRET_FILE: jwt }, /^JWT_SECRET_FILE is set, and JWT_SECRET too: leave one out$/],
    [{ JWT_SECRET_FILE: '/no/such' }, /^JWT_SECRET_FILE cannot be read: ENOENT \/no\/such$/],
    [{ SMTP_URL_FILE: fileOf('empty', '\n') }, /^SMTP_URL_FILE names an empty file: /],
    [{ JWT_SECRET_FILE: fileOf('short', 'hush') }, /^JWT_SECRET must have at least 32 bytes/],
  ]
  for (const [env, message] of refused)
    assert.throws(
      () => readConfig(env),
      (error: Error) => message.test(error.message) && !error.message.includes('hush'),
    )
})
