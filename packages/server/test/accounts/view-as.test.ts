/**
 * An operator that views a user reads what the user reads, and does nothing else. It sees no
 * credential, and the token ends with the session and the role of the operator.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { equal } from '../../src/resource/condition.ts'
import { factsOf } from '../../src/resource/operation-kind.ts'
import { permissionsPath } from '../../src/rest/permissions-route.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { startService, type TestPerson, type TestService } from '../helpers/application.ts'

describe('an operator that views a user', () => {
  let service: TestService
  let admin: TestPerson
  let editor: TestPerson
  let token: string
  before(async () => {
    service = await startService({ MCP: 'write' })
    admin = await service.admin()
    editor = await service.person('EDITOR')
    const { resources } = service.service.engine.catalog
    for (const { name, access } of resources.values())
      if (access.create) await service.make(name).catch(() => undefined)
    token = (await viewAs(editor.id)).body.accessToken
  })
  after(() => service.stop())

  const viewAs = (userId: string, by = admin.token) =>
    service.ask('POST', '/api/v1/auth/view-as', { token: by, body: { userId } })
  const paths = () =>
    [...service.service.engine.catalog.resources.values()].flatMap(({ path, slug, traits }) =>
      path === undefined
        ? []
        : [{ path: `/api/v1${path}`, slug, isSecret: Boolean(traits.letsIn || traits.isCredential) }],
    )

  it('reads as the user does: lists, records, permissions, descriptions, GraphQL', async () => {
    const own = { token: editor.token }
    let records = 0
    const asked = [permissionsPath, '/api/v1/_resources']
    for (const { path, isSecret } of paths()) {
      if (isSecret) continue
      asked.push(path)
      const { body } = await service.ask('GET', path, { token: admin.token })
      const rows = (Array.isArray(body) ? body : (body?.data ?? [])) as { id: string }[]
      for (const { id } of rows.slice(0, 3)) {
        asked.push(`${path}/${id}`)
        records += 1
      }
    }
    assert.ok(records > 5, `${records} records`)
    // Twice, in both orders: an answer that is kept for one of the two must be right for the other.
    for (const order of [
      [own, { token }],
      [{ token }, own],
    ] as const)
      for (const path of asked) {
        const [first, second] = [await service.ask('GET', path, order[0]), await service.ask('GET', path, order[1])]
        assert.equal(second.status, first.status, path)
        if (path !== permissionsPath && path !== '/api/v1/_resources') assert.deepEqual(second.body, first.body, path)
      }
    const query = { query: '{ members { data { id email role } } }' }
    const [mine, viewed] = [
      await service.ask('POST', '/graphql', { ...own, body: query }),
      await service.ask('POST', '/graphql', { token, body: query }),
    ]
    assert.deepEqual(viewed.body, mine.body)
  })

  it('writes nothing: 403 at REST, bulk, batch, GraphQL and at each route of accounts', async () => {
    const { resources } = service.service.engine.catalog
    const some = '0197a4c2-7f00-7000-8000-000000000001'
    const refused: string[] = []
    for (const { access, path, slug } of resources.values()) {
      if (path === undefined) continue
      for (const operation of Object.keys(access)) {
        if (factsOf(operation).reads) continue
        const at: string = `/api/v1${path}`
        const named: Record<string, [string, string]> = {
          create: ['POST', at],
          replace: ['PUT', `${at}/${some}`],
          update: ['PATCH', `${at}/${some}`],
          delete: ['DELETE', `${at}/${some}`],
          import: ['POST', `${at}/import`],
        }
        const [method, to]: [string, string] = named[operation] ?? ['POST', `${at}/${some}/${operation}`]
        const { status, text } = await service.ask(method, to, { token, body: operation === 'delete' ? undefined : {} })
        // There is no such route, or none for tokens.
        if (status === 404 || status === 405 || /API key required/.test(text)) continue
        assert.equal(status, 403, `${method} ${to}: ${text}`)
        refused.push(`${slug}.${operation}`)
      }
    }
    assert.ok(refused.length > 10, refused.join(' '))
    const others: [string, string, object][] = [
      ['POST', '/api/v1/proofs', { type: 'totp', currentPassword: 'x' }],
      ['POST', '/api/v1/proofs/recovery-codes', { currentPassword: 'x' }],
      ['POST', '/api/v1/auth/view-as', { userId: editor.id }],
    ]
    for (const [method, path, body] of others)
      assert.equal((await service.ask(method, path, { token, body })).status, 403, path)
    const { body } = await service.ask('POST', '/graphql', {
      token,
      body: { query: `mutation { updateMember(id: "${editor.id}", input: { name: "x" }) { id } }` },
    })
    assert.equal(body.errors?.[0]?.extensions?.code, 'FORBIDDEN', JSON.stringify(body))
    const batch = { operations: [{ method: 'POST', path: '/articles', body: { title: 'x' } }] }
    assert.match((await service.ask('POST', '/api/v1/batch', { token, body: batch })).text, /403|forbidden|only reads/)
  })

  it('sees no credential of the user', async () => {
    for (const { path, slug, isSecret } of paths()) {
      if (!isSecret) continue
      const { status } = await service.ask('GET', path, { token })
      assert.ok(status === 403 || status === 404, `${slug}: ${status}`)
      assert.ok((await service.ask('GET', path, { token: editor.token })).status < 405)
    }
  })

  it('is refused for operators, for other callers, by a key and by a viewing token', async () => {
    assert.equal((await viewAs(admin.id)).status, 403)
    assert.equal((await viewAs(editor.id, editor.token)).status, 403)
    assert.equal((await viewAs(editor.id, token)).status, 403)
    assert.equal((await viewAs('0197a4c2-7f00-7000-8000-000000000001')).status, 404)
    assert.equal((await service.ask('POST', '/auth/view-as', { body: { userId: editor.id } })).status, 401)
    const key = await service.key(admin)
    const byKey = await service.ask('POST', '/auth/view-as', {
      headers: { 'x-api-key': key },
      body: { userId: editor.id },
    })
    assert.equal(byKey.status, 403)
  })

  it('says both ids in the token, with an issuer that is not that of the own tokens of the user', () => {
    const { userId, act, iss } = decodeJwt(token) as Record<string, unknown>
    assert.deepEqual({ userId, act, iss }, { userId: editor.id, act: { sub: admin.id }, iss: 'bindery view' })
  })

  it('may ask why the user is refused, with the rule of the user', async () => {
    const { status, body } = await service.ask('GET', '/api/v1/members?_explain=access', { token })
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.data.allowed, false)
    assert.equal(body.data.caller.id, editor.id)
    const own = await service.ask('GET', '/api/v1/members?_explain=access', { token: editor.token })
    assert.equal(own.status, 403)
    assert.equal(own.body.data, undefined)
  })

  it('ends with the session of the operator, and with its role', async () => {
    const read = async (by: string) => (await service.ask('GET', `/api/v1/members/${editor.id}`, { token: by })).status
    const other = await service.person('ADMIN')
    const first = (await viewAs(editor.id, other.token)).body.accessToken
    assert.equal(await read(first), 200)
    await service.ask('POST', '/auth/logout', { cookie: `refreshToken=${other.refreshToken}` })
    assert.equal(await read(first), 401)
    const again = await service.logIn(other.email)
    const second = (await viewAs(editor.id, again.token)).body.accessToken
    assert.equal(await read(second), 200)
    await service.service.engine.records.transaction(serviceAuthor, async (tx) => {
      const member = service.service.engine.catalog.get('member')
      const found = await tx.lock(member, equal('id', other.id))
      await tx.change(member, found?.row as never, { role: 'EDITOR' })
    })
    assert.equal(await read(second), 401)
  })
})
