/**
 * The permission matrix of an application with tenants. Its samples name tenants, required records
 * and those that must match; its members are of the tenant that each request is about.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type MatrixRow, permissionMatrix } from 'bindery-server/test'
import { accounts, anyone, defineResource, defineTenancy, id, member, reference, text } from '../../src/index.ts'
import type { Declared } from '../../src/resource/tenancy/define-tenancy.ts'
import { clubhouse, clubs, memberships, teams, users } from '../clubhouse/clubhouse.ts'
import { shortOr } from '../helpers/long.ts'

/** A sheet and its team are of one club, and both must be named. */
const sheets = defineResource({
  name: 'sheet',
  path: '/sheets',
  tenant: 'clubId',
  fields: {
    id: id(),
    clubId: reference('club', { required: true, onDelete: 'delete' }),
    teamId: reference('team', { required: true, onDelete: 'delete', match: 'clubId' }),
    title: text({ required: true }),
  },
  access: { get: member(), create: member('COACH'), update: member('COACH') },
  explainAccess: anyone,
})
const clubsAlone = { ...clubs, children: { memberships: { resource: 'membership', by: 'clubId' } } }
const teamsAlone = { ...teams, access: { read: member(), create: member('COACH') } }
const tenancy = defineTenancy('club', {
  members: 'membership',
  user: 'userId',
  role: 'role',
  roles: ['PLAYER', 'COACH', 'OWNER'],
})
const people = accounts({ roles: ['USER', 'ADMIN'], users })
const small: readonly unknown[] = [clubsAlone, memberships, teamsAlone, sheets, tenancy, ...people]

function statusesOf(rows: readonly MatrixRow[], method: string, path: string): Readonly<Record<string, number>> {
  const row = rows.find((one) => one.method === method && one.path === `/api/v1${path}`)
  assert.ok(row, `${method} ${path}`)
  return row.statuses
}

it('asks members of each role of the tenant, for samples that could be stored', async () => {
  const rows = await permissionMatrix(small as readonly Declared[])
  const columns = ['anonymous', 'stranger', 'ADMIN', 'club:PLAYER', 'club:COACH', 'club:OWNER']
  const found = (method: string, path: string) => columns.map((column) => statusesOf(rows, method, path)[column])
  assert.deepEqual(found('POST', '/memberships'), [401, 404, 404, 403, 201, 201])
  assert.deepEqual(found('POST', '/sheets'), [401, 404, 404, 403, 201, 201])
  assert.deepEqual(found('PATCH', '/sheets/:id'), [401, 404, 404, 403, 200, 200])
  assert.deepEqual(found('GET', '/teams/:id'), [401, 404, 404, 200, 200, 200])
  assert.deepEqual(found('DELETE', '/clubs/:id'), [401, 403, 403, 403, 403, 204])
})

it('covers the whole clubhouse', shortOr({ skip: 'npm run test:long runs it' }, {}), async () => {
  const rows = await permissionMatrix(clubhouse)
  assert.ok(rows.length > 70, `${rows.length} rows`)
  assert.equal(statusesOf(rows, 'POST', '/club-invitations')['club:COACH'], 201)
})
