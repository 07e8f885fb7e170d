/**
 * Applications with users and keys, users alone, or no users. The missing parts have no routes, and
 * a rule about them is a mistake.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { identityTablesOf } from '../../src/accounts/identity-tables.ts'
import { StartError } from '../../src/errors.ts'
import { printSdl } from '../../src/graphql/schema/print-sdl.ts'
import {
  anyOf,
  anyone,
  apiKey,
  boolean,
  choice,
  defineResource,
  id,
  owner,
  reference,
  role,
  state,
  text,
  user,
  verifyAddress,
  where,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import {
  adminEmail,
  databaseOf,
  onPostgres,
  password,
  removeDatabase,
  removeFolder,
  startService,
  type TestService,
  temporaryFolder,
} from '../../src/testing/index.ts'
import { runInProcess } from '../cli/in-process.ts'
import { keys, members, notes, people } from './people.ts'

const drafts = defineResource({
  name: 'draft',
  path: '/drafts',
  fields: { id: id(), title: text(), published: boolean({ default: false }) },
  list: { style: 'page' },
  access: { list: where({ published: true }), get: where({ published: true }), create: anyone },
})
const machines = defineResource({
  name: 'reading',
  path: '/readings',
  fields: { id: id(), value: text() },
  access: { create: apiKey(user) },
})
/** A login whose users can be switched off. */
const staff = defineResource({
  ...(members as object as { name: 'member'; fields: typeof members.fields; access: object }),
  fields: { ...members.fields, status: state(['ON', 'OFF'], { default: 'ON', write: role('ADMIN'), transitions: {} }) },
  identity: {
    kind: 'login',
    login: 'email',
    secret: 'password',
    role: 'role',
    status: 'status',
    activeStatus: 'ON',
  },
  access: { get: user, create: anyone, update: role('ADMIN') },
})

const kinds = {
  'no users': [notes, drafts],
  'users without keys': [notes, drafts, ...people],
  'users with keys': [notes, drafts, ...people, keys, machines],
  'users with a status': [notes, drafts, staff, ...people.slice(1)],
} as const satisfies Record<string, readonly DeclaredResource[]>

const fakeKey = `mk_${'A'.repeat(51)}`
const credentials: readonly (readonly [string, string, object])[] = [
  ['a token', 'Invalid token', { token: 'a.b.c' }],
  ['another scheme', 'Token required', { headers: { authorization: 'Basic YTpi' } }],
  ['a key', 'Invalid API key', { key: fakeKey }],
]

for (const [kind, declarations] of Object.entries(kinds)) {
  const hasUsers = kind !== 'no users'
  const hasKeys = kind === 'users with keys'
  describe(kind, () => {
    let test_: Promise<TestService> | undefined
    const started = () => {
      test_ ??= startService(declarations)
      return test_
    }
    after(async () => (await test_)?.stop())

    test('anyone and where work', async () => {
      const { ask } = await started()
      const made = await ask('POST', '/api/v1/notes', { body: { title: 'First' } })
      assert.equal(made.status, 201, made.text)
      assert.equal((await ask('PATCH', `/api/v1/notes/${made.body.id}`, { body: { title: 'Second' } })).status, 200)
      for (const published of [true, false])
        assert.equal((await ask('POST', '/api/v1/drafts', { body: { title: 'd', published } })).status, 201)
      assert.equal((await ask('GET', '/api/v1/drafts')).body.meta.total, 1)
      const query = '{ notes { data { title } } drafts { data { title } } }'
      const { body } = await ask('POST', '/graphql', { body: { query } })
      assert.deepEqual(body.data, { notes: { data: [{ title: 'Second' }] }, drafts: { data: [{ title: 'd' }] } })
      assert.equal((await ask('GET', '/readyz')).status, 200)
    })

    test('a bad credential is refused, everywhere', async () => {
      const { ask } = await started()
      for (const [what, error, send] of credentials) {
        const reply = await ask('GET', '/api/v1/notes', send)
        assert.equal(reply.status, 401, what)
        assert.deepEqual(reply.body, { error })
        assert.equal(reply.headers.has('www-authenticate'), true)
        assert.equal((await ask('POST', '/graphql', { body: { query: '{ __typename }' }, ...send })).status, 401)
      }
      assert.equal((await ask('GET', `/api/v1/notes?api_key=${fakeKey}`)).status, 401)
      const two = await ask('GET', `/api/v1/notes?api_key=${fakeKey}x`, { key: fakeKey })
      assert.deepEqual([two.status, two.body.error], [400, 'Two different API keys were sent'])
      assert.equal((await ask('GET', '/api/v1/notes', { headers: { authorization: '', 'x-api-key': '' } })).status, 200)
    })

    test('/auth is there where somebody logs in', async () => {
      const { ask, logged } = await started()
      const reply = await ask('POST', '/auth/login', { body: { email: adminEmail, password } })
      assert.equal(reply.status, hasUsers ? 200 : 404)
      for (const path of ['/auth/refresh', '/auth/logout', '/api/v1/auth/login', '/api/v1/auth/refresh-token'])
        assert.equal((await ask('OPTIONS', path)).status, hasUsers ? 204 : 404, path)
      assert.equal(logged.filter((line) => line.includes('first ADMIN')).length, hasUsers ? 1 : 0)
    })

    test('the documents name what there is', async () => {
      const { ask, service } = await started()
      const { body } = await ask('GET', '/openapi.json')
      const bearer = hasUsers ? ['bearer', 'refreshCookie'] : []
      const schemes = [...bearer, ...(hasKeys ? ['apiKeyHeader', 'apiKeyQuery'] : [])]
      assert.deepEqual(Object.keys(body.components.securitySchemes).sort(), schemes.toSorted())
      const text = JSON.stringify(body)
      assert.equal(/\/auth\/|Authentication/.test(text), hasUsers)
      const named = Object.values(body.paths as Record<string, Record<string, { security?: object[] }>>)
        .flatMap((path) => Object.values(path).flatMap(({ security }) => security ?? (body.security as object[])))
        .flatMap((requirement) => Object.keys(requirement))
      for (const name of named) assert.ok(schemes.includes(name), `${name} is no scheme of this application`)
      const sdl = printSdl(service.engine.catalog, service.engine.settings)
      assert.equal(/@auth|enum Role|\bme:/.test(sdl), hasUsers, sdl)
    })

    if (kind === 'users with keys') {
      test('a key acts for its owner', async () => {
        const service = await started()
        const key = (
          await service.ask('POST', '/api/v1/keys', { body: { name: 'k' }, token: (await service.admin()).token })
        ).body.key
        assert.equal((await service.ask('POST', '/api/v1/readings', { body: { value: '1' }, key })).status, 201)
        assert.equal((await service.ask('POST', '/api/v1/readings', { body: { value: '1' } })).status, 401)
      })
    }
    if (kind === 'users with a status') {
      test('a user who is switched off is refused at once', async () => {
        const service = await started()
        const { ask } = service
        const made = await ask('POST', '/api/v1/members', { body: { email: 'a@example.com', password } })
        const { token } = await service.logIn('a@example.com')
        assert.equal((await ask('GET', '/api/v1/notes', { token })).status, 200)
        const body = { status: 'OFF' }
        const off = await ask('PATCH', `/api/v1/members/${made.body.id}`, {
          body,
          token: (await service.admin()).token,
        })
        assert.equal(off.status, 200, off.text)
        assert.equal((await ask('GET', '/api/v1/notes', { token })).status, 401)
      })
    }
  })
}

test('without users there is no secret', { skip: onPostgres }, async (t) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  await (await startService([notes], { env: { DATA_DIR: folder } })).stop()
  assert.ok(!existsSync(join(folder, 'jwt-secret')))
  assert.ok(existsSync(join(folder, 'bindery.db')))
})

const [, visits, tickets] = people
const thing = (part: object) =>
  defineResource({
    name: 'thing',
    path: '/things',
    fields: { id: id(), text: text(), byId: reference('note', {}) },
    list: { style: 'page' },
    access: { get: anyone },
    ...part,
  } as Parameters<typeof defineResource>[0])
const noLogin = 'there are no users: list ...accounts({ roles, users })'
const noKeys = 'there are no API keys: accounts({ …, keys: true }) has them'
const whole = 'of accounts: list all that it makes: ...accounts({ … })'

const mistaken: readonly (readonly [string, readonly DeclaredResource[], readonly string[]])[] = [
  ['role', [thing({ access: { get: role('ADMIN') } })], [`thing: access.get: no caller can satisfy this: ${noLogin}`]],
  ['user', [thing({ access: { create: user } })], [`thing: access.create: no caller can satisfy this: ${noLogin}`]],
  ['owner', [thing({ access: { get: owner('byId') } })], [`thing: access.get: no caller can satisfy this: ${noLogin}`]],
  [
    'each of several',
    [thing({ access: { get: anyOf([user, role('ADMIN')]) } })],
    [`thing: access.get: no caller can satisfy this: ${noLogin}`],
  ],
  [
    'fields',
    [thing({ fields: { id: id(), a: text({ write: role('ADMIN') }), b: text({ read: user }) } })],
    [
      `thing: field "a": write: no caller can satisfy this: ${noLogin}`,
      `thing: field "b": read: no caller can satisfy this: ${noLogin}`,
    ],
  ],
  [
    'graphql',
    [
      thing({
        graphql: { query: { me: { operation: 'get', returns: 'self' }, x: { operation: 'get', access: user } } },
      }),
    ],
    [
      `thing: graphql.query.me: no caller can satisfy this: ${noLogin}`,
      `thing: graphql.query.x: no caller can satisfy this: ${noLogin}`,
    ],
  ],
  [
    'machine',
    [...people, thing({ access: { get: apiKey(user) } })],
    [`thing: access.get: no caller can satisfy this: ${noKeys}`],
  ],
  ['a login without the rest', [members], [`member: needs the sessions and refreshTokens ${whole}`]],
  ['a login without refresh tokens', [members, visits], [`member: needs the sessions and refreshTokens ${whole}`]],
  [
    'addresses that no mail proves',
    [
      {
        ...members,
        access: { ...members.access, verify: user },
        actions: { verify: verifyAddress },
      } as DeclaredResource,
      visits,
    ],
    [
      `member: needs the sessions and refreshTokens ${whole}`,
      'member: actions.verify: verifyAddress sends mails, and there are no mails: accounts({ …, recovery: true }) has them',
    ],
  ],
]

describe('what cannot work is reported as a mistake, with file and field', () => {
  for (const [name, declarations, says] of mistaken) {
    test(name, () => {
      assert.throws(
        () => identityTablesOf(makeCatalog([notes, ...declarations])),
        (error) => {
          assert.ok(error instanceof StartError)
          const [first, ...lines] = error.message.split('\n')
          assert.equal(first, 'The declarations have mistakes:')
          assert.deepEqual(
            lines.map((line) => line.replace(/^ {2}\S+people\.ts: |^ {2}\S+test\.ts: /, '')),
            says,
          )
          return true
        },
      )
    })
  }

  test('a rule that other callers may satisfy is not a mistake', () => {
    const open = anyOf([where({ published: true }), role('ADMIN')])
    const fields = { id: id(), published: boolean(), kind: choice(['A']) }
    assert.equal(identityTablesOf(makeCatalog([notes, thing({ fields, access: { get: open } })])), undefined)
    assert.ok(identityTablesOf(makeCatalog([notes, members, visits, tickets])))
  })
})

test('the command line says what an application does not have', async (t) => {
  const folder = temporaryFolder()
  t.after(async () => {
    await removeDatabase(folder)
    removeFolder(folder)
  })
  const env = { PATH: process.env.PATH, DATA_DIR: folder, ...(await databaseOf(folder)) }
  const main = join(import.meta.dirname, 'notes-command.ts')
  const run = (...args: string[]) => runInProcess({ main, args, env })
  assert.equal((await run('migrate')).code, 0)
  for (const args of [
    ['user', 'list'],
    ['user', 'set', 'x', '--role', 'ADMIN'],
    ['user', 'create', '--email', 'a@b.c'],
  ])
    assert.deepEqual(
      await run(...args),
      { code: 1, stdout: '', stderr: 'error: This application has no users\n' },
      args.join(' '),
    )
  for (const args of [
    ['key', 'list'],
    ['key', 'revoke', 'x'],
    ['key', 'create', '--user', 'x', '--name', 'y'],
  ])
    assert.deepEqual(await run(...args), { code: 1, stdout: '', stderr: 'error: This application has no API keys\n' })
  const routes = await run('routes')
  assert.equal(routes.code, 0, routes.stderr)
  assert.doesNotMatch(routes.stdout, /auth/)
  assert.match(routes.stdout, /\/notes/)
})
