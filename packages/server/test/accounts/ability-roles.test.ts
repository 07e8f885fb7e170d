/**
 * Roles that are sets of abilities without an order. Rules, refusals, keys, documents, the matrix
 * and the command line ask for the same sets, and so do given roles and accounts of others.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { printSdl } from '../../src/graphql/schema/print-sdl.ts'
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
import { abilities, club } from './club-people.ts'

const path = '/api/v1/members'
const fee = { payerId: 'ann', cents: 500, reminder: 'in May' }

describe('roles that are sets of abilities', async () => {
  const service = await startService(club)
  const { ask } = service
  after(() => service.stop())
  const guest = await service.person()
  const [auditor, treasurer, coach, secretary] = [
    await service.person('AUDITOR'),
    await service.person('TREASURER'),
    await service.person('COACH'),
    await service.person('SECRETARY'),
  ]
  const board = await service.admin()
  const statuses = async (request: (token: string) => Promise<{ status: number }>) => {
    const people = [guest, auditor, treasurer, coach, secretary, board]
    return Promise.all(people.map(async ({ token }) => (await request(token)).status))
  }
  const problem = { accept: 'application/problem+json' }

  it('pass a rule of an ability, and a rule of a role all of whose abilities they have', async () => {
    const create = (where: string, body: object) => (token: string) => ask('POST', `/api/v1/${where}`, { body, token })
    assert.deepEqual(await statuses(create('fees', fee)), [403, 403, 201, 403, 403, 201])
    assert.deepEqual(await statuses(create('teams', { name: 'U12' })), [403, 403, 403, 201, 403, 201])
    assert.deepEqual(await statuses((token) => ask('GET', '/api/v1/fees', { token })), [403, 200, 200, 200, 200, 200])
    const [{ id }] = (await ask('GET', '/api/v1/teams')).body.data
    const rename = (token: string) => ask('PATCH', `/api/v1/teams/${id}`, { body: { name: 'U13' }, token })
    assert.deepEqual(await statuses(rename), [403, 403, 200, 200, 403, 200])
    assert.equal((await ask('GET', '/api/v1/fees')).status, 401)
  })

  it('see and set the fields that ask for an ability which they have', async () => {
    const { id } = (await ask('POST', '/api/v1/fees', { body: fee, token: treasurer.token })).body
    const seen = async ({ token }: { token: string }) =>
      (await ask('GET', `/api/v1/fees/${id}`, { token })).body.reminder
    assert.deepEqual(
      [await seen(treasurer), await seen(board), await seen(auditor), await seen(coach), await seen(treasurer)],
      ['in May', 'in May', undefined, undefined, 'in May'],
    )
    const filter = await ask('GET', '/api/v1/fees?sort=reminder', { token: coach.token })
    assert.equal(filter.status, 400, 'a field that they may not read does not exist')
  })

  it('are named by refusals, in REST and GraphQL', async () => {
    const { token } = guest
    const refused = async (method: string, at: string, body?: object) =>
      (await ask(method, `/api/v1/${at}`, { body, token, headers: problem })).body.requiredRoles
    assert.deepEqual(await refused('POST', 'fees', fee), ['TREASURER', 'BOARD'])
    assert.deepEqual(await refused('POST', 'teams', { name: 'U12' }), ['COACH', 'BOARD'])
    const query = 'mutation { createFee(input: { payerId: "a", cents: 1 }) { id } }'
    const by = async (one: string) => (await ask('POST', '/graphql', { body: { query }, token: one })).body
    assert.deepEqual((await by(token)).errors[0].extensions, {
      code: 'FORBIDDEN',
      requiredRoles: ['TREASURER', 'BOARD'],
    })
    assert.equal((await by(treasurer.token)).errors, undefined)
  })

  it('limit keys by the scope and by the abilities of the owner', async () => {
    const keyed = async (owner: typeof guest, scopes?: string[]) => {
      const key = await service.key(owner, { name: 'a program', ...(scopes && { scopes }) })
      const asked = [
        await ask('GET', '/api/v1/fees', { key }),
        await ask('POST', '/api/v1/fees', { body: fee, key }),
        await ask('POST', '/api/v1/teams/import', { raw: '{"name":"U9"}\n', type: 'application/x-ndjson', key }),
      ]
      return asked.map(({ status }) => status)
    }
    assert.deepEqual(await keyed(treasurer), [200, 201, 403])
    assert.deepEqual(await keyed(treasurer, ['fees:read']), [200, 403, 403])
    assert.deepEqual(await keyed(treasurer, ['fees:write']), [403, 201, 403])
    assert.deepEqual(await keyed(coach, ['fees:write', 'teams:import']), [403, 403, 200])
    assert.deepEqual(await keyed(board, ['fees:*']), [200, 201, 403])
    const none = { name: 'a', scopes: ['letters:send'] }
    const made = await ask('POST', '/api/v1/api-keys', { body: none, token: board.token })
    assert.deepEqual(
      [made.status, made.body.error],
      [400, 'scopes has letters:send, an ability of roles that names no resource; use for example products:read'],
    )
  })

  it('are given by callers who have all of their abilities, at every door', async () => {
    const made = await service.person()
    const { token } = secretary
    const give = async (role: string, as = token) =>
      (await ask('PATCH', `${path}/${made.id}`, { body: { role }, token: as, headers: problem })).body
    for (const role of ['AUDITOR', 'SECRETARY', 'GUEST']) assert.equal((await give(role)).role, role)
    assert.deepEqual((await give('TREASURER')).requiredRoles, ['TREASURER', 'BOARD'])
    assert.deepEqual((await give('BOARD')).requiredRoles, ['BOARD'])
    for (const role of ['COACH', 'BOARD', 'GUEST']) assert.equal((await give(role, board.token)).role, role)
    const one = { email: 'new@example.com', password, role: 'TREASURER' }
    const doors = [
      await ask('POST', path, { body: one, token }),
      await ask('POST', path, { body: one }),
      await ask('PUT', `${path}/${made.id}`, { body: { email: made.email, role: 'COACH' }, token }),
      await ask('PUT', `${path}?on=email`, { body: one, token }),
      await ask('PATCH', `${path}/${secretary.id}`, { body: { role: 'BOARD' }, token }),
    ]
    assert.deepEqual(
      doors.map(({ status }) => status),
      doors.map(() => 403),
    )
    const raw = `${JSON.stringify(one)}\n`
    const imported = await ask('POST', `${path}/import`, { raw, type: 'application/x-ndjson', token })
    assert.deepEqual([imported.body.created, imported.body.rejected], [0, 1], imported.text)
    const operations = [{ method: 'PATCH', path: `/members/${made.id}`, body: { role: 'COACH' } }]
    assert.doesNotMatch((await ask('POST', '/api/v1/batch', { body: { operations }, token })).text, /"role":"COACH"/)
    const query = `mutation { updateMember(id: "${made.id}", input: { role: TREASURER }) { id } }`
    const { body } = await ask('POST', '/graphql', { body: { query }, token })
    assert.deepEqual(body.errors[0].extensions, { code: 'FORBIDDEN', requiredRoles: ['TREASURER', 'BOARD'] })
    const joined = await ask('POST', path, { body: { email: 'joins@example.com', password } })
    assert.deepEqual([joined.status, joined.body.role], [201, 'GUEST'])
  })

  it('protect the accounts of users with an ability that the caller lacks', async () => {
    const { token } = secretary
    const [above, below] = [await service.person('COACH'), await service.person('AUDITOR')]
    const change = async (id: string, body: object) => (await ask('PATCH', `${path}/${id}`, { body, token })).status
    for (const body of [{ password: 'another horse battery' }, { status: 'SUSPENDED' }, { role: 'GUEST' }]) {
      assert.equal(await change(above.id, body), 403)
      assert.equal(await change(below.id, body), 200)
    }
    const remove = async (id: string) => (await ask('DELETE', `${path}/${id}`, { token })).status
    assert.deepEqual([await remove(above.id), await remove(below.id)], [403, 204])
  })

  it('have an operator, who is the first user and of whom one stays', async () => {
    const me = await ask('GET', '/api/v1/me', { token: board.token })
    assert.deepEqual([me.body.email, me.body.role], [adminEmail, 'BOARD'])
    const demoted = await ask('PATCH', `${path}/${board.id}`, { body: { role: 'COACH' }, token: board.token })
    assert.match(demoted.body.error, /^This member is the last active BOARD, who cannot be demoted/)
    const status = (token: string) => ask('GET', '/status', { token, headers: { accept: 'application/json' } })
    assert.deepEqual(await statuses(status), [403, 403, 403, 403, 403, 200])
  })

  it('act at once when they change, on tokens that live', async () => {
    const { id, token } = await service.person()
    const reads = async () => (await ask('GET', '/api/v1/fees', { token })).status
    const roleIn = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).role
    assert.deepEqual([await reads(), roleIn], [403, 'GUEST'])
    for (const [role, status] of [
      ['AUDITOR', 200],
      ['GUEST', 403],
    ] as const) {
      await ask('PATCH', `${path}/${id}`, { body: { role }, token: board.token })
      assert.equal(await reads(), status)
    }
  })

  it('are in the documents', () => {
    const { catalog, settings } = service.service.engine
    const sdl = printSdl(catalog, settings)
      .replace(/"""[\s\S]*?"""/g, '')
      .replace(/\s+/g, ' ')
    assert.match(sdl, /directive @auth\(requires: \[Role!\]\) on FIELD_DEFINITION/)
    assert.match(sdl, /enum Role \{ GUEST AUDITOR TREASURER COACH SECRETARY BOARD \}/)
    assert.match(sdl, /createFee\([^)]*\): Fee @auth\(requires: \[TREASURER, BOARD\]\)/)
    assert.match(sdl, /createTeam\([^)]*\): Team @auth\(requires: \[COACH, BOARD\]\)/)
    assert.match(sdl, /me: Member! @auth /)
    const text = JSON.stringify(makeOpenapi(catalog, settings, engineRoutes({ catalog, settings })))
    assert.match(text, /Allowed: the ability `fees:write` \(role TREASURER or BOARD\)/)
    assert.match(text, /Allowed: role COACH or BOARD\./)
    assert.doesNotMatch(text + sdl, /or higher|higher one|rising order/)
  })

  it('are the columns of the permission matrix', async () => {
    const [head = '', ...lines] = printMatrix(await permissionMatrix(club)).split('\n')
    const roles = ['AUDITOR', 'TREASURER', 'COACH', 'SECRETARY', 'BOARD']
    const known = ['stranger', 'owner', ...roles]
    assert.deepEqual(head.split(/ +/).slice(1), [
      ...['anonymous', ...known],
      ...[...known.map((one) => `k:${one}`), 'k:inactive', 'suspended'],
    ])
    const makes = lines.find((line) => line.startsWith('POST /api/v1/fees '))
    assert.deepEqual(makes?.split(/ +/).slice(2, 10), ['401', '403', '403', '403', '201', '403', '403', '201'])
  })
})

describe('the command line of such an application', async () => {
  const folder = temporaryFolder()
  after(async () => {
    await removeDatabase(folder)
    removeFolder(folder)
  })
  const env = { PATH: process.env.PATH, DATA_DIR: folder, ...(await databaseOf(folder)) }
  const main = join(import.meta.dirname, 'club-command.ts')
  const run = (args: string[], more: Record<string, string> = {}) =>
    runInProcess({ main, args, env: { ...env, ...more } })

  it('gives roles, and lists them with their abilities', async () => {
    assert.equal((await run(['migrate'])).code, 0)
    const [lowest, ...others] = Object.keys(abilities)
    const made = await run(['user', 'create', '--email', 'ann@example.com', '--json'])
    assert.equal(JSON.parse(made.stdout).role, lowest, made.stderr)
    for (const role of others) {
      const set = await run(['user', 'set', 'ann@example.com', '--role', role, '--json'])
      assert.equal(JSON.parse(set.stdout).role, role, set.stderr)
    }
    const wrong = await run(['user', 'set', 'ann@example.com', '--role', 'CAPTAIN'])
    assert.match(wrong.stderr, /--role must be one of GUEST, AUDITOR, TREASURER, COACH, SECRETARY, BOARD/)
    const help = (await run(['user', '--help'])).stdout
    assert.match(help, /Roles of this application, with their abilities:\n {2}GUEST\n {2}AUDITOR {4}fees:read\n/)
    const lines = JSON.parse((await run(['routes', '--json'])).stdout) as {
      method: string
      path: string
      who: string
    }[]
    const who = (method: string, at: string) => lines.find((one) => one.method === method && one.path === at)?.who
    assert.deepEqual(
      [who('POST', '/api/v1/fees'), who('POST', '/api/v1/teams'), who('DELETE', '/api/v1/teams/:id')],
      ['fees:write', 'COACH', 'BOARD'],
    )
  })

  it('refuses variables that name other roles, in one line', async () => {
    const mfa = await run(['doctor', '--json'], { MFA: 'ADMIN' })
    assert.match(mfa.stdout, /MFA must be off, required, or roles of GUEST, AUDITOR, .*; ADMIN is none/)
  })
})
