/**
 * Callers are told their permissions at `/_permissions`, through GraphQL, as agents, and in the log
 * of a start. One function enumerates them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { permissionsPath } from '../../src/rest/permissions-route.ts'
import { type AskOptions, startService, type TestPerson, type TestService } from '../helpers/application.ts'

describe('permissions', () => {
  let service: TestService
  let member: TestPerson
  let editor: TestPerson
  let admin: TestPerson
  before(async () => {
    service = await startService({ MCP: 'write' })
    member = await service.person()
    editor = await service.person('EDITOR')
    admin = await service.admin()
  })
  after(() => service.stop())

  const told = async (by: AskOptions = {}) => (await service.ask('GET', permissionsPath, by)).body
  const operationsOf = async (by: AskOptions, resource: string) => (await told(by)).resources[resource].operations
  const fieldsOf = async (by: AskOptions, resource: string) => (await told(by)).resources[resource].fields

  it('say for each operation whether it is allowed on all records, on some, or refused', async () => {
    assert.deepEqual(await operationsOf({}, 'articles'), {
      list: 'some',
      get: 'some',
      create: 'none',
      replace: 'none',
      update: 'none',
      delete: 'none',
    })
    assert.deepEqual(await operationsOf({ token: member.token }, 'loans'), {
      list: 'none',
      get: 'some',
      prepare: 'none',
      lend: 'none',
      return: 'none',
      cancel: 'some',
      extend: 'some',
    })
    assert.deepEqual(await operationsOf({ token: admin.token }, 'members'), {
      list: 'all',
      create: 'all',
      get: 'all',
      replace: 'all',
      update: 'all',
      delete: 'all',
      admit: 'all',
      bar: 'all',
    })
  })

  it('name the caller, and the fields that the caller sees and sets', async () => {
    const { caller } = await told({ token: editor.token })
    assert.deepEqual(caller, { id: editor.id, role: 'EDITOR' })
    assert.equal((await told()).caller, null)
    assert.ok(!(await fieldsOf({ token: member.token }, 'editions')).read.includes('cost'))
    assert.deepEqual((await fieldsOf({ token: member.token }, 'editions')).create, [])
    const ofEditor = await fieldsOf({ token: editor.token }, 'editions')
    assert.ok(ofEditor.read.includes('cost') && ofEditor.create.includes('cost') && !ofEditor.create.includes('id'))
    const own = await fieldsOf({ token: member.token }, 'members')
    assert.ok(own.update.includes('password') && !own.update.includes('role') && !own.read.includes('password'))
    assert.ok((await fieldsOf({ token: admin.token }, 'members')).update.includes('role'))
  })

  it('of an API key are what its kind and its scopes leave', async () => {
    const operations = async (scopes: readonly string[] | null) =>
      operationsOf({ key: await service.key(editor, scopes ? { scopes } : {}) }, 'editions')
    assert.equal((await operations(null)).export, 'all')
    assert.equal((await operationsOf({ token: editor.token }, 'editions')).export, 'none')
    const narrow = await operations(['editions:export'])
    assert.deepEqual([narrow.export, narrow.create, narrow.list], ['all', 'none', 'all'])
    const key = await service.key(editor, { scopes: ['editions:export'] })
    assert.deepEqual((await told({ key })).caller.scopes, ['editions:export'])
  })

  it('have an ETag of their own for each caller, and refuse as other routes do', async () => {
    const first = await service.ask('GET', permissionsPath, { token: member.token })
    const etag = first.headers.get('etag') ?? ''
    assert.match(first.headers.get('vary') ?? '', /Authorization, X-API-Key/)
    assert.equal(first.headers.get('cache-control'), 'private, no-cache')
    const again = (token?: string) => service.ask('GET', permissionsPath, { token, headers: { 'if-none-match': etag } })
    assert.equal((await again(member.token)).status, 304)
    assert.equal((await again(admin.token)).status, 200)
    assert.equal((await again()).status, 200)
    const byAddress = await service.ask('GET', `${permissionsPath}?api_key=${await service.key(member)}`)
    assert.equal(byAddress.headers.get('cache-control'), 'no-store')
    const refused = [
      [{}, '?of=books', 400],
      [{ token: 'bad' }, '', 401],
      [{ headers: { accept: 'text/csv' } }, '', 406],
    ] as const
    for (const [by, query, status] of refused)
      assert.equal((await service.ask('GET', `${permissionsPath}${query}`, by)).status, status)
    const changed = await service.ask('PATCH', `/api/v1/members/${member.id}`, {
      token: admin.token,
      body: { role: 'EDITOR' },
    })
    assert.equal(changed.status, 200)
    assert.equal((await operationsOf({ token: member.token }, 'editions')).create, 'all')
  })

  it('are the same through GraphQL, also when they are asked for again', async () => {
    const query = '{ permissions { resource operations { operation records } read create replace update } }'
    type Told = { resource: string; operations: { operation: string; records: string }[] }
    for (const by of [{}, { token: editor.token }, { token: admin.token }])
      for (let times = 0; times < 4; times += 1) {
        const { body } = await service.ask('POST', '/graphql', { ...by, body: { query } })
        const found = body.data.permissions.map(({ resource, operations, ...fields }: Told) => [
          resource,
          {
            operations: Object.fromEntries(
              operations.map(({ operation, records }) => [operation, records.toLowerCase()]),
            ),
            fields,
          },
        ])
        assert.deepEqual(Object.fromEntries(found), (await told(by)).resources)
      }
  })
})
