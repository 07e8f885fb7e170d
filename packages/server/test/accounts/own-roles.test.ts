/**
 * The application alone defines its roles. A role between two others works in every document and
 * every interface, and the engine has none of its own.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { printSdl } from '../../src/graphql/schema/print-sdl.ts'
import { accounts } from '../../src/index.ts'
import { makeOpenapi } from '../../src/openapi/make-openapi.ts'
import { engineRoutes } from '../../src/service/engine-routes.ts'
import {
  adminEmail,
  databaseOf,
  password,
  permissionMatrix,
  printMatrix,
  removeDatabase,
  removeFolder,
  startService,
  temporaryFolder,
} from '../../src/testing/index.ts'
import { runInProcess } from '../cli/in-process.ts'
import { library, roles, users } from './library-people.ts'

const path = '/api/v1/members'

describe('roles of an application', async () => {
  const service = await startService(library)
  const { ask } = service
  after(() => service.stop())
  const [reader, librarian, curator] = [
    await service.person(),
    await service.person('LIBRARIAN'),
    await service.admin(),
  ]

  it('are in order: a required role means that role or a higher one', async () => {
    for (const [{ token }, status] of [
      [reader, 403],
      [librarian, 201],
      [curator, 201],
    ] as const) {
      const reply = await ask('POST', '/api/v1/shelves', { body: { name: 'Poems' }, token })
      assert.equal(reply.status, status, reply.text)
    }
    const { body } = await ask('POST', '/graphql', {
      body: { query: 'mutation { createShelf(input: { name: "Plays" }) { id } }' },
      token: reader.token,
    })
    assert.deepEqual(body.errors[0].extensions, { code: 'FORBIDDEN', requiredRoles: ['LIBRARIAN', 'CURATOR'] })
  })

  it('are what the first user and the operator have, and the last of these stays', async () => {
    const me = await ask('GET', `${path}/${curator.id}`, { token: curator.token })
    assert.deepEqual([me.body.email, me.body.role], [adminEmail, 'CURATOR'])
    assert.equal(service.logged.filter((line) => line.includes('Made the first CURATOR')).length, 1)
    const demoted = await ask('PATCH', `${path}/${curator.id}`, { body: { role: 'LIBRARIAN' }, token: curator.token })
    assert.equal(demoted.status, 409)
    assert.match(demoted.body.error, /^This member is the last active CURATOR, who cannot be demoted/)
    for (const [{ token }, status] of [
      [librarian, 403],
      [curator, 200],
    ] as const)
      assert.equal((await ask('GET', '/status', { token, headers: { accept: 'application/json' } })).status, status)
  })

  it('are in the documents', async () => {
    const { catalog, settings } = service.service.engine
    const sdl = printSdl(catalog, settings)
      .replace(/"""[\s\S]*?"""/g, '')
      .replace(/\s+/g, ' ')
    assert.match(sdl, /directive @auth\(requires: Role = READER\) on FIELD_DEFINITION/)
    assert.match(sdl, /enum Role \{ READER LIBRARIAN CURATOR \}/)
    assert.match(sdl, /createShelf\( input: CreateShelfInput! \): Shelf @auth\(requires: LIBRARIAN\)/)
    assert.match(sdl, /deleteShelf\([^)]*\): Shelf @auth\(requires: CURATOR\)/)
    const text = JSON.stringify(makeOpenapi(catalog, settings, engineRoutes({ catalog, settings })))
    assert.match(text, /Allowed: role LIBRARIAN or higher/)
    assert.match(text, /Allowed: role CURATOR\./)
    assert.match(text, /For CURATOR: of backups too/)
    assert.doesNotMatch(sdl + text, /\b(USER|EDITOR|ADMIN)\b/)
  })

  it('are given by a caller who has them, or a higher one, at every door', async () => {
    const made = await service.person()
    const { token } = librarian
    const give = (role: string, as = token) => ask('PATCH', `${path}/${made.id}`, { body: { role }, token: as })
    assert.equal((await give('LIBRARIAN')).status, 200)
    const refused = await ask('PATCH', `${path}/${made.id}`, {
      body: { role: 'CURATOR' },
      token,
      headers: { accept: 'application/problem+json' },
    })
    assert.deepEqual([refused.status, refused.body.requiredRoles], [403, ['CURATOR']])
    const one = { email: 'new@example.com', password, role: 'CURATOR' }
    const line = { raw: `${JSON.stringify(one)}\n`, type: 'application/x-ndjson' }
    const put = { email: made.email, role: 'CURATOR' }
    const input = '{ email: "new@example.com", password: "correct horse", role: CURATOR }'
    const doors = [
      await ask('POST', path, { body: one, token }),
      await ask('PUT', `${path}/${made.id}`, { body: put, token }),
      await ask('PUT', `${path}?on=email`, { body: one, token }),
      await ask('POST', path, { body: one }),
      await ask('POST', path, { body: { ...one, role: 'LIBRARIAN' } }),
      await give('CURATOR', made.token),
    ]
    assert.deepEqual(
      doors.map(({ status }) => status),
      doors.map(() => 403),
    )
    const imported = await ask('POST', `${path}/import`, { ...line, token })
    assert.notEqual(imported.body.imported ?? imported.body.created ?? 0, 1, imported.text)
    const batch = await ask('POST', '/api/v1/batch', {
      body: { operations: [{ id: 'a', method: 'PATCH', path: `/members/${made.id}`, body: { role: 'CURATOR' } }] },
      token,
    })
    assert.doesNotMatch(batch.text, /"role":"CURATOR"/)
    for (const query of [
      `mutation { createMember(input: ${input}) { id } }`,
      `mutation { updateMember(id: "${made.id}", input: { role: CURATOR }) { id } }`,
    ]) {
      const { body } = await ask('POST', '/graphql', { body: { query }, token })
      assert.deepEqual(body.errors[0].extensions, { code: 'FORBIDDEN', requiredRoles: ['CURATOR'] })
    }
    const { data } = (await ask('GET', `${path}?role=CURATOR`, { token })).body
    assert.deepEqual(
      data.map(({ email }: { email: string }) => email),
      [adminEmail],
    )
    assert.equal(
      (await ask('PATCH', `${path}/${curator.id}`, { body: { role: 'CURATOR' }, token })).status,
      200,
      'no change',
    )
    assert.equal((await give('CURATOR', curator.token)).status, 200)
  })

  it('are kept, with status, login and password, by users above the caller, at every door', async () => {
    const { token } = librarian
    const above = { email: adminEmail, password: 'another horse battery' }
    const limited = await service.key(librarian, { name: 'members', scopes: ['members:*'] })
    const suspended = { id: curator.id, status: 'SUSPENDED' }
    const raw = `${JSON.stringify({ id: curator.id, ...above })}\n${JSON.stringify(suspended)}\n`
    const line = { raw, type: 'application/x-ndjson' }
    const doors = [
      await ask('PATCH', `${path}/${curator.id}`, { body: { role: 'READER' }, token }),
      await ask('PATCH', `${path}/${curator.id}`, { body: { status: 'SUSPENDED' }, token }),
      await ask('PATCH', `${path}/${curator.id}`, { body: { status: 'SUSPENDED' }, key: limited }),
      await ask('PUT', `${path}/${curator.id}`, { body: { email: adminEmail, status: 'SUSPENDED' }, token }),
      await ask('PUT', `${path}?on=email`, { body: { ...above, status: 'SUSPENDED' }, token }),
      await ask('PATCH', `${path}/${curator.id}`, { body: { password: above.password }, token }),
      await ask('PATCH', `${path}/${curator.id}`, { body: { email: 'taken@example.com' }, token }),
      await ask('PUT', `${path}/${curator.id}`, { body: { ...above, role: 'CURATOR' }, token }),
      await ask('PUT', `${path}?on=email`, { body: { ...above, role: 'CURATOR' }, token }),
    ]
    assert.deepEqual(
      doors.map(({ status }) => status),
      doors.map(() => 403),
    )
    const imported = await ask('POST', `${path}/import`, { ...line, token })
    assert.deepEqual([imported.body.updated, imported.body.rejected], [0, 2], imported.text)
    for (const input of [`password: "${above.password}"`, 'status: SUSPENDED']) {
      const query = `mutation { updateMember(id: "${curator.id}", input: { ${input} }) { id } }`
      const { body } = await ask('POST', '/graphql', { body: { query }, token })
      assert.deepEqual(body.errors[0].extensions, { code: 'FORBIDDEN', requiredRoles: ['CURATOR'] })
    }
    const [same, below] = [await service.person('LIBRARIAN'), await service.person()]
    for (const [id, changes] of [
      [same.id, { password: 'another horse battery' }],
      [same.id, { status: 'SUSPENDED' }],
      [below.id, { status: 'SUSPENDED' }],
      [curator.id, { role: 'CURATOR', email: adminEmail, status: 'ACTIVE' }],
    ] as const)
      assert.equal((await ask('PATCH', `${path}/${id}`, { body: changes, token })).status, 200)
  })

  it('keep users above the caller from being deleted, at every door', async () => {
    const { token } = librarian
    const { id } = await service.person('CURATOR')
    const operations = [{ method: 'DELETE', path: `/members/${id}` }]
    const key = await service.key(librarian, { name: 'all' })
    const doors = [
      await ask('DELETE', `${path}/${id}`, { token }),
      await ask('DELETE', `${path}/${id}`, { key }),
      await ask('DELETE', `${path}/${id}`, { token, headers: { prefer: 'dry-run' } }),
      await ask('DELETE', `${path}/${id}`, { token, headers: { 'idempotency-key': 'away' } }),
      await ask('POST', '/api/v1/batch', { body: { operations }, token }),
    ]
    assert.deepEqual(
      doors.map(({ status }) => status),
      doors.map(() => 403),
    )
    assert.match(doors[4]?.body.error, /^operations\[0\]: Insufficient permissions/)
    const query = `mutation { deleteMember(id: "${id}") { id } }`
    const { body } = await ask('POST', '/graphql', { body: { query }, token })
    assert.deepEqual(body.errors[0].extensions, { code: 'FORBIDDEN', requiredRoles: ['CURATOR'] })
    assert.equal((await ask('GET', `${path}/${id}`, { token: curator.token })).status, 200)
    const [equalOne, own] = [await service.person('LIBRARIAN'), await service.person('CURATOR')]
    const below = await service.person()
    const both = [equalOne, below].map((one) => ({ method: 'DELETE', path: `/members/${one.id}` }))
    assert.equal((await ask('POST', '/api/v1/batch', { body: { operations: both }, token })).status, 200)
    assert.equal((await ask('DELETE', `${path}/${own.id}`, { token: own.token })).status, 204, 'their own')
  })

  it('are the columns of the permission matrix', async () => {
    const table = printMatrix(await permissionMatrix(library))
    const [head = '', ...lines] = table.split('\n')
    assert.deepEqual(head.split(/ +/).slice(1), [
      ...['anonymous', 'stranger', 'owner', 'LIBRARIAN', 'CURATOR'],
      ...['k:stranger', 'k:owner', 'k:LIBRARIAN', 'k:CURATOR', 'k:inactive', 'suspended'],
    ])
    const makes = lines.find((line) => line.startsWith('POST /api/v1/shelves '))
    assert.deepEqual(makes?.split(/ +/).slice(2, 7), ['401', '403', '403', '201', '201'])
  })
})

describe('an operator between two others', async () => {
  const service = await startService([...accounts({ roles, operator: 'LIBRARIAN', users })])
  after(() => service.stop())

  it('is the first user, and a higher role may do what it may', async () => {
    const first = await service.admin()
    const { ask } = service
    assert.equal((await ask('GET', `${path}/${first.id}`, { token: first.token })).body.role, 'LIBRARIAN')
    const status = { token: first.token, headers: { accept: 'application/json' } }
    assert.equal((await ask('GET', '/status', status)).status, 200)
    const demoted = await ask('PATCH', `${path}/${first.id}`, { body: { role: 'READER' }, token: first.token })
    assert.match(demoted.body.error, /^This member is the last active LIBRARIAN/)
    const above = await ask('PATCH', `${path}/${first.id}`, { body: { role: 'CURATOR' }, token: first.token })
    assert.equal(above.status, 403, 'nor does an operator give a role above its own')
  })
})

describe('the command line of such an application', async () => {
  const folder = temporaryFolder()
  after(async () => {
    await removeDatabase(folder)
    removeFolder(folder)
  })
  const env = { PATH: process.env.PATH, DATA_DIR: folder, ...(await databaseOf(folder)) }
  const main = join(import.meta.dirname, 'library-command.ts')
  const run = (args: string[], more: Record<string, string> = {}) =>
    runInProcess({ main, args, env: { ...env, ...more } })

  it('makes and finds users of each role, and says which there are', async () => {
    assert.equal((await run(['migrate'])).code, 0)
    for (const role of roles) {
      const made = await run(['user', 'create', '--email', `${role}@example.com`, '--role', role, '--json'])
      assert.equal(JSON.parse(made.stdout).role, role, made.stderr)
    }
    assert.match((await run(['user', 'list', '--role', 'LIBRARIAN'])).stdout, /LIBRARIAN@example.com/)
    assert.match(
      (await run(['user', 'list', '--role', 'ADMIN'])).stderr,
      /--role must be one of READER, LIBRARIAN, CURATOR/,
    )
    const lines = JSON.parse((await run(['routes', '--json'])).stdout) as {
      method: string
      path: string
      who: string
    }[]
    const who = (method: string, at: string) => lines.find((one) => one.method === method && one.path === at)?.who
    assert.deepEqual(
      [who('POST', '/api/v1/shelves'), who('DELETE', '/api/v1/shelves/:id'), who('GET', '/status')],
      ['LIBRARIAN', 'CURATOR', 'CURATOR'],
    )
    for (const help of [
      ['user', 'create', '--help'],
      ['routes', '--help'],
    ])
      assert.match((await run(help)).stdout, /in rising order: READER < LIBRARIAN < CURATOR/)
  })

  it('refuses variables that name other roles, in one line', async () => {
    const oidc = { OIDC_PROVIDERS: 'google', OIDC_GOOGLE_CLIENT_ID: 'x', OIDC_GOOGLE_ROLES: 'groups:a=KING' }
    const says = 'must be a claim, and what of it gives which of READER, LIBRARIAN, CURATOR'
    for (const args of [['sdl'], ['openapi']]) {
      const { code, stderr } = await run(args, oidc)
      assert.deepEqual([code, stderr.startsWith(`error: OIDC_GOOGLE_ROLES ${says}`)], [1, true], stderr)
    }
    const mfa = await run(['doctor', '--json'], { MFA: 'ADMIN' })
    assert.match(mfa.stdout, /MFA must be off, required, or roles of READER, LIBRARIAN, CURATOR; ADMIN is none/)
  })
})
