/** Variables that nothing reads: what is nearly one of ours is spoken of at start, and other programs' variables are left alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig, variables } from '../../src/config.ts'
import { spawnServer } from '../../src/testing/index.ts'

const meant = (env: Record<string, string>) =>
  readConfig(env).unknownVariables.map((one) => one.replace(' is set, and nothing reads it; did you mean', ''))

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
