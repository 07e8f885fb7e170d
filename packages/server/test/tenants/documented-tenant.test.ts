/**
 * The OpenAPI document has `X-Tenant` where it acts. A member of two clubs reads each list with it
 * and without it. The lists differ where the document has the header, and nowhere else.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { startService } from 'bindery-server/test'
import { makeRoutes, templateOf } from '../../src/rest/route.ts'
import { closedClubhouse } from './closed-clubhouse.ts'

const service = await startService(closedClubhouse, { env: { MCP: 'write' } })
after(() => service.stop())
const ann = await service.person()
const admin = await service.admin()

async function club(name: string): Promise<string> {
  const clubId = String((await service.make('club', { name })).id)
  await service.make('membership', { clubId, userId: ann.id, role: 'OWNER', state: 'ACTIVE' })
  const teamId = (await service.make('team', { clubId, name })).id
  await service.make('teamMember', { teamId, userId: ann.id })
  const eventId = (await service.make('event', { clubId, title: name, state: 'PUBLISHED' })).id
  await service.make('attendance', { eventId, userId: ann.id })
  await service.make('notice', { clubId, code: name })
  const invited = { clubId, email: `${name}@example.com` }
  const reply = await service.ask('POST', '/api/v1/club-invitations', { token: ann.token, body: invited })
  assert.equal(reply.status, 201, reply.text)
  return clubId
}
const [own] = [await club('one'), await club('two')]
const headers = { 'x-tenant': own }

type Documented = { readonly parameters?: readonly { readonly $ref?: string }[] }
const document = (await service.ask('GET', '/openapi.json')).body
const has = (path: string, method: string) => {
  const { parameters = [] }: Documented = document.paths[path]?.[method.toLowerCase()] ?? {}
  return parameters.some(({ $ref }) => $ref === '#/components/parameters/tenant')
}

/** Both reads of one state: the audit gets a row of an operator's read in the background. */
async function readBoth(method: string, path: string, token: string) {
  for (;;) {
    const all = await service.ask(method, path, { token })
    const some = await service.ask(method, path, { token, headers })
    if ((await service.ask(method, path, { token })).text === all.text) return [all, some] as const
  }
}

it('on lists, exports and summaries', async () => {
  for (const route of makeRoutes(service.service.engine.catalog)) {
    const { method, path, target, steps } = route
    if ((target.operation !== 'list' && target.operation !== 'export') || steps.length > 0) continue
    for (const { token } of [ann, admin]) {
      const [all, some] = await readBoth(method, path, token)
      const isReached = some.status === 200 && all.status === 200
      if (isReached && all.text !== some.text) assert.ok(has(templateOf(route), method), `${path} heeds X-Tenant`)
      if (token === ann.token && has(templateOf(route), method)) {
        assert.ok(isReached, `${path}: ${some.text}`)
        assert.notEqual(some.text, all.text, `${path} does not heed X-Tenant`)
      }
    }
  }
})

it('on single records and writes as on their lists, and where no path names the tenant', () => {
  // A request that names a club makes no other: the header of that create would only refuse it.
  assert.deepEqual(
    [has('/api/v1/clubs', 'GET'), has('/api/v1/clubs/{id}', 'PATCH'), has('/api/v1/clubs', 'POST')],
    [true, true, false],
  )
  assert.deepEqual([has('/api/v1/events/{id}', 'GET'), has('/api/v1/clubs/{id}/events', 'GET')], [true, false])
  assert.deepEqual([has('/api/v1/users', 'GET'), has('/api/v1/me', 'GET')], [false, false])
})

it('on routes of no resource that judge the caller', () => {
  const judging = ['GET /api/v1/_permissions', 'POST /api/v1/batch', 'GET /graphql', 'POST /graphql']
  for (const one of judging) {
    const [method = '', path = ''] = one.split(' ')
    assert.ok(has(path, method), one)
  }
  assert.ok(!has('/api/v1/auth/login', 'POST'))
})
