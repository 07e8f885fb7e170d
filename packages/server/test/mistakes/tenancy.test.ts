/**
 * Wrong arguments of `defineTenancy`, of `tenant` and of the rule `member`: the start refuses each
 * mistake with its file and the word that was meant.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  accounts,
  allOf,
  anyOf,
  anyone,
  apiKey,
  choice,
  defineTenancy,
  id,
  integerId,
  member,
  not,
  onlyWhen,
  operator,
  reference,
  role,
  roleField,
  text,
  user,
  where,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { declare, loosely, mistakesOf } from './declaring.ts'

const page = { style: 'page' }
const people = accounts({ roles: ['USER', 'ADMIN'] })
const person = people.users.name

function resource(name: string, fields: object, change: object = {}) {
  return declare({
    name,
    path: `/${name.toLowerCase()}s`,
    list: page,
    fields: { id: id(), ...fields },
    access: { list: user, get: user },
    ...change,
  })
}
const club = resource('club', { name: text() })
const memberFields = {
  clubId: reference('club', { onDelete: 'delete' }),
  userId: reference(person, { onDelete: 'delete' }),
  role: roleField(),
}
const membership = resource('membership', memberFields)
const team = resource('team', { clubId: reference('club') }, { tenant: 'clubId' })
const teamMemberFields = {
  teamId: reference('team', { onDelete: 'delete' }),
  userId: reference(person, { onDelete: 'delete' }),
  role: roleField(),
}
const teamMember = resource('teamMember', teamMemberFields)
const said = { members: 'membership', user: 'userId', role: 'role', roles: ['PLAYER', 'COACH', 'OWNER'] }
const group = { members: 'teamMember', user: 'userId', role: 'role', roles: ['PLAYER', 'COACH'] }
const tenancyOf = (change: object = {}, name: unknown = 'club') => loosely(defineTenancy, name, { ...said, ...change })

const all = [club, membership, team, teamMember]
const others = (...replaced: readonly { readonly name: string }[]) => [
  ...all.filter(({ name }) => !replaced.some((one) => one.name === name)),
  ...replaced,
  ...people,
]
const list = (tenancy: unknown, ...replaced: readonly { readonly name: string }[]) => [...others(...replaced), tenancy]
const withGroup = tenancyOf({ groups: { team: group } })
const at = (name: string, ...says: string[]) => says.map((one) => `defineTenancy("${name}"): ${one}`)
const ruled = (name: string, fields: object, rule: unknown, change: object = {}) =>
  resource(name, fields, { access: { list: rule, get: user }, ...change })

const alone = 'roleField() is the field of users or memberships that their mark or tenancy names as role'

const table: readonly (readonly [mistake: string, list: readonly unknown[], ...says: readonly string[]])[] = [
  ['none', list(withGroup)],
  [
    'no name',
    list(tenancyOf({ groups: { team: group } }, 5)),
    'defineTenancy(5): is given the name of the resource of tenants first, and not 5',
  ],
  [
    'no declaration',
    [...others(), loosely(defineTenancy, 'club')],
    'defineTenancy("club"): must be an object, and is undefined',
  ],
  [
    'a misspelt resource of tenants',
    list(tenancyOf({}, 'clib'), resource('team', {}), resource('teamMember', {})),
    ...at(
      'clib',
      'there is no resource "clib", which is not in the list of resources; did you mean "club"?',
      'members: "membership" has no reference to "clib"',
    ),
  ],
  [
    'a misspelt member',
    list(loosely(defineTenancy, 'club', { ...said, groups: { team: group }, opertor: user })),
    'defineTenancy("club"): no member "opertor"; did you mean "operator"?',
  ],
  [
    'a misspelt member of a group',
    list(tenancyOf({ groups: { team: { ...group, rles: [] } } })),
    'defineTenancy("club"): groups.team: no member "rles"; did you mean "roles"?',
  ],
  [
    'roles of no list',
    list(tenancyOf({ roles: 'OWNER' })),
    'defineTenancy("club"): roles: must be a list, and is "OWNER"',
  ],
  [
    'a role twice',
    list(tenancyOf({ roles: ['OWNER', 'OWNER'], groups: { team: group } })),
    ...at('club', 'roles: "OWNER" is there twice'),
  ],
  [
    'misspelt memberships',
    list(
      tenancyOf({ members: 'memberships', groups: { team: group } }),
      resource('membership', { ...memberFields, role: text() }),
    ),
    ...at(
      'club',
      'members: no resource "memberships", which is not in the list of resources; did you mean "membership"?',
    ),
  ],
  [
    'a misspelt user',
    list(tenancyOf({ user: 'usrId', groups: { team: group } })),
    ...at('club', 'user: no field "usrId"; did you mean "userId"?'),
  ],
  [
    'a user that is no reference to users',
    list(tenancyOf({ user: 'clubId', groups: { team: group } })),
    ...at('club', `user: "clubId" is no stored reference to "${person}"; there are userId`),
  ],
  [
    'a role that is no roleField',
    list(withGroup, resource('membership', { ...memberFields, role: choice(['PLAYER']) })),
    ...at('club', 'role: "role" must be a roleField(), whose words are these roles'),
  ],
  [
    'a misspelt role field',
    list(tenancyOf({ role: 'rol', groups: { team: group } })),
    `membership: field "role": ${alone}`,
    ...at('club', 'role: no field "rol"; did you mean "role"?'),
  ],
  [
    'a status without its value',
    list(
      tenancyOf({ status: 'state', groups: { team: group } }),
      resource('membership', { ...memberFields, state: choice(['ON', 'OFF']) }),
    ),
    ...at('club', 'status: needs activeStatus, one of ON, OFF'),
  ],
  [
    'a value that the status never has',
    list(
      tenancyOf({ status: 'state', activeStatus: 'ONN', groups: { team: group } }),
      resource('membership', { ...memberFields, state: choice(['ON', 'OFF']) }),
    ),
    ...at('club', 'activeStatus: "state" is never "ONN"; did you mean "ON"?'),
  ],
  [
    'memberships without a tenant',
    list(withGroup, resource('membership', { userId: memberFields.userId, role: roleField() })),
    ...at('club', 'members: "membership" has no reference to "club"'),
  ],
  [
    'memberships of two tenants',
    list(withGroup, resource('membership', { ...memberFields, fromId: reference('club') })),
    ...at('club', 'members: "membership" has several references to "club": clubId, fromId; name one as its tenant'),
  ],
  [
    'memberships that need more than the engine knows',
    list(withGroup, resource('membership', { ...memberFields, number: text({ required: true }) })),
    ...at(
      'club',
      'members: "membership" needs a default for number: creating a club makes the membership of its creator',
    ),
  ],
  [
    'a tenancy without users',
    [...all, withGroup],
    'membership: field "userId": refers to "user", which is not in the list of resources',
    'teamMember: field "userId": refers to "user", which is not in the list of resources',
    ...at('club', 'needs users: list ...accounts({ … }) beside it'),
  ],
  [
    'a group of no tenant',
    list(withGroup, resource('team', { clubId: reference('club') })),
    ...at('club', `groups.team: "team" belongs to no club: give it a tenant, such as tenant: 'clubId'`),
  ],
  [
    'a misspelt group',
    list(tenancyOf({ groups: { taem: group } }), resource('teamMember', { ...memberFields })),
    ...at(
      'club',
      'groups: no resource "taem", which is not in the list of resources; did you mean "team"?',
      'groups.taem.members: "teamMember" has no reference to "taem"',
    ),
  ],
  [
    'two tenancies of one resource',
    [...list(withGroup), tenancyOf()],
    ...at('club', 'the tenancy of "club" is also declared in packages/server/test/mistakes/declaring.ts'),
  ],
  [
    'one resource for two kinds of members',
    list(tenancyOf({ groups: { team: { ...group, members: 'membership' } } }), resource('teamMember', {})),
    ...at(
      'club',
      'groups.team.members: "membership" has the members of something else already',
      'groups.team.members: "membership" has no reference to "team"',
    ),
  ],
  [
    'an operator by the record',
    list(tenancyOf({ operator: where({ name: 'x' }), groups: { team: group } })),
    ...at('club', 'operator: where is about the record, and this rule can only be about the caller'),
  ],
  [
    'invitations without mails',
    [
      ...all,
      ...accounts({ roles: ['USER', 'ADMIN'], recovery: false }),
      tenancyOf({ invitations: user, groups: { team: group } }),
    ],
    ...at('club', 'invitations: needs mails: accounts({ …, recovery: true }) has them'),
  ],
  [
    'invitations of a misspelt role',
    list(tenancyOf({ invitations: loosely(member, 'COUCH'), groups: { team: group } })),
    ...['list', 'get', 'create', 'delete'].map(
      (operation) => `clubInvitation: access.${operation}: member("COUCH"): no such role; did you mean "COACH"?`,
    ),
  ],
  [
    'a misspelt tenant',
    list(withGroup, resource('team', { clubId: reference('club') }, { tenant: 'clbId' })),
    'team: tenant: no field "clbId"; did you mean "clubId"?',
  ],
  [
    'a tenant that is no reference',
    list(withGroup, resource('team', { clubId: reference('club'), name: text() }, { tenant: 'name' })),
    'team: tenant: "name" is no stored reference',
  ],
  [
    'a tenant that leads to none',
    list(withGroup, resource('note', { byId: reference(person) }, { tenant: 'byId' })),
    `note: tenant: "byId" leads to "${person}", which belongs to no tenant; the tenants are club`,
  ],
  [
    'a tenant of itself',
    list(withGroup, resource('club', { parentId: reference('club') }, { tenant: 'parentId' })),
    'club: tenant: a club is a tenant itself, and belongs to none: leave it out',
  ],
  [
    'counted tenants',
    list(withGroup, resource('club', { id: integerId() })),
    ...at('club', '"id" of "club" counts the tenants, and so tells each how many others there are: use id()'),
  ],
  [
    'a role that every new member would get',
    list(
      withGroup,
      resource('membership', { ...memberFields, role: roleField({ default: 'OWNER' }) }),
      resource('teamMember', { ...teamMemberFields, role: roleField({ default: 'COACH' }) }),
    ),
    ...at(
      'club',
      `role: "role" has default: 'OWNER', the highest role, and every new member would get it: say default: 'PLAYER'`,
      `groups.team.role: "role" has default: 'COACH', the highest role, and every new member would get it: say default: 'PLAYER'`,
    ),
  ],
  [
    'a tenant without a tenancy',
    [club, team, ...people],
    'team: tenant: "clubId" leads to "club", which belongs to no tenant; no defineTenancy is in the list of resources',
  ],
  [
    'a tenant of another form',
    list(withGroup, resource('team', { clubId: reference('club') }, { tenant: { by: 'clubId', pulic: true } })),
    'team: tenant: no member "pulic"; did you mean "public"?',
  ],
  [
    'member without a tenant',
    list(withGroup, ruled('note', {}, member())),
    `note: access.list: member(): "note" has no tenant: say tenant: '…', the reference that leads to it`,
  ],
  [
    'a misspelt role of members',
    list(withGroup, ruled('note', { clubId: reference('club') }, loosely(member, 'COUCH'), { tenant: 'clubId' })),
    'note: access.list: member("COUCH"): no such role; did you mean "COACH"?',
  ],
  [
    'a misspelt group of members',
    list(
      withGroup,
      ruled('note', { teamId: reference('team') }, loosely(member, 'COACH', { of: 'taem' }), { tenant: 'teamId' }),
    ),
    'note: access.list: member("COACH"): of: no members of "taem" are declared; did you mean "team"?',
  ],
  [
    'a group that the record does not name',
    list(
      withGroup,
      ruled('note', { clubId: reference('club') }, member('COACH', { of: 'team' }), { tenant: 'clubId' }),
    ),
    'note: access.list: member("COACH"): of: "note" has no reference to "team"',
  ],
  [
    'a group that the record names twice',
    list(
      withGroup,
      ruled('game', { homeId: reference('team'), awayId: reference('team') }, member('COACH', { of: 'team' }), {
        tenant: 'homeId',
      }),
    ),
    'game: access.list: member("COACH"): more than one reference leads to "team": say by, one of homeId, awayId',
  ],
  [
    'a misspelt option of member',
    list(
      withGroup,
      ruled('note', { teamId: reference('team') }, loosely(member, 'COACH', { off: 'team' }), { tenant: 'teamId' }),
    ),
    'note: access.list: member("COACH"): no option "off"; did you mean "of"?',
  ],
]

const open = `operator: admits callers without a credential, who would stand above all tenants; name a role, such as role('SUPPORT')`

describe('an operator of a tenancy', () => {
  const start = (operator: unknown) => () =>
    makeCatalog(list(tenancyOf({ operator, groups: { team: group } })) as Parameters<typeof makeCatalog>[0])
  const chosen = onlyWhen(({ signUp }) => signUp === 'closed', anyone, operator)
  for (const [what, rule] of [
    ['anyone', anyone],
    ['an alternative', anyOf([operator, anyone])],
    ['every part', allOf([anyone, not(not(anyone))])],
    ['some configuration', chosen],
    ['some configuration within', allOf([chosen, anyone])],
  ] as const)
    it(`that admits anyone is refused: ${what}`, () => {
      assert.throws(start(rule), (error: Error) => error.message.includes(at('club', open)[0] as string))
    })
  for (const [what, rule] of [
    ['a user', user],
    ['not a role', not(role('USER'))],
    ['anyone who is an operator too', allOf([anyone, operator])],
    ['an API key', apiKey(anyone)],
  ] as const)
    it(`with a credential starts: ${what}`, () => assert.doesNotThrow(start(rule)))
})

describe('mistakes in a tenancy', () => {
  for (const [mistake, given, ...says] of table) it(mistake, () => assert.deepEqual(mistakesOf(given), says))
})
