/** Declarations of a tenant's resource that would tell of other tenants: the start refuses each. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  accounts,
  autoNumber,
  defineTenancy,
  id,
  integerId,
  member,
  reference,
  roleField,
  text,
  user,
} from '../../src/index.ts'
import { declare, mistakesOf } from './declaring.ts'

const people = accounts({ roles: ['USER', 'ADMIN'] })
const list = { style: 'page' }
const access = { list: user, get: user }
const club = declare({ name: 'club', path: '/clubs', list, fields: { id: id(), name: text() }, access })
const membership = declare({
  name: 'membership',
  path: '/memberships',
  list,
  fields: {
    id: id(),
    clubId: reference('club', { onDelete: 'delete' }),
    userId: reference(people.users.name, { onDelete: 'delete' }),
    role: roleField(),
  },
  access: { list: member(), get: member() },
})
const tenancy = defineTenancy('club', {
  members: 'membership',
  user: 'userId',
  role: 'role',
  roles: ['PLAYER', 'OWNER'],
})
const team = (fields: object = {}, change: object = {}) =>
  declare({
    name: 'team',
    path: '/teams',
    tenant: 'clubId',
    list,
    fields: { id: id(), clubId: reference('club'), ...fields },
    access,
    ...change,
  })
const player = (fields: object = {}, change: object = {}) =>
  declare({
    name: 'player',
    path: '/players',
    tenant: 'teamId',
    list,
    fields: { id: id(), teamId: reference('team'), ...fields },
    access,
    ...change,
  })

const all = (...more: readonly unknown[]) => [club, membership, ...more, tenancy, ...people]
const over = (key: string) =>
  `player: unique: [${key}] would hold over all tenants: begin the key with "teamId", or give the record a reference to its tenant`

const bound = (fields: NonNullable<Parameters<typeof accounts>[0]['keys'] & object>['fields']) => [
  club,
  membership,
  tenancy,
  ...accounts({ roles: ['USER', 'ADMIN'], keys: { fields } }),
]
const ends = (name: string) =>
  `apiKey: field "${name}": binds the key to a tenant, so its onDelete must be 'delete': the key ends with the tenant, and is never bound to none`

const table: readonly (readonly [what: string, list: readonly unknown[], ...says: readonly string[]])[] = [
  ['none', all(team({ name: text({ unique: true }) }), player({ no: text() }, { unique: [['teamId', 'no']] }))],
  [
    'counted ids',
    all(team({ id: integerId() })),
    'team: field "id": counts the records of all tenants, and so tells each of the others: use id(), and autoNumber() for a number',
  ],
  ['none in a number of each tenant', all(team({ no: autoNumber({ per: 'tenant' }) }))],
  [
    'a number over all tenants',
    all(team({ no: autoNumber({ per: 'year' }) })),
    `team: field "no": counts the records of all tenants, and so tells each of the others: per: 'tenant'`,
  ],
  [
    'a number of the tenants',
    all({ ...club, fields: { ...club.fields, no: autoNumber() } }).filter((one) => one !== club),
    'club: field "no": counts the tenants, and so tells each how many others there are: leave it out',
  ],
  [
    'a number below another record',
    all(team(), player({ no: autoNumber({ per: 'tenant' }) })),
    'player: field "no": counts in the tenant of its own record: give the record a reference to its tenant, beside "teamId"',
  ],
  ['a unique field below another record', all(team(), player({ no: text({ unique: true }) })), over('no')],
  ['a unique key below another record', all(team(), player({ no: text() }, { unique: [['no']] })), over('no')],
  [
    'users',
    all({ ...people.users, fields: { ...people.users.fields, clubId: reference('club') }, tenant: 'clubId' }).filter(
      (one) => one !== people.users,
    ),
    'user: tenant: is not for users, sessions and keys, which belong to people',
  ],
  [
    'a reference that outlives its tenant',
    all(team({ clubId: reference('club', { onDelete: 'keep' }) })),
    `team: field "clubId": leads to the tenant of the record, so its onDelete is 'delete' (the default here) or 'refuse'`,
  ],
  ['none in a key of a tenant', bound({ clubId: reference('club', { onDelete: 'delete' }) })],
  ['a key that outlives its tenant', bound({ clubId: reference('club') }), ends('clubId')],
  ['a key that keeps its tenant', bound({ clubId: reference('club', { onDelete: 'keep' }) }), ends('clubId')],
  ['a key that holds its tenant', bound({ clubId: reference('club', { onDelete: 'refuse' }) }), ends('clubId')],
  [
    'a key of two tenants',
    bound({ aId: reference('club', { onDelete: 'delete' }), bId: reference('club', { onDelete: 'delete' }) }),
    'apiKey: fields: aId and bId refer to tenants, and a key is bound to one: leave one of these references',
  ],
]

describe('the bounds of a tenant at start', () => {
  for (const [what, declared, ...says] of table)
    it(what, () => {
      assert.deepEqual(
        mistakesOf(declared).map((one) => one.replace(/^[^:]*\.ts: /, '')),
        says,
      )
    })
})
