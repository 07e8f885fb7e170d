/**
 * Compile-time tests: a misspelt resource, field, role or group of a tenancy must not compile. The
 * lists without a mistake are `rightList` and the clubhouse.
 */
import {
  accounts,
  defineResource,
  defineResources,
  defineTenancy,
  id,
  member,
  reference,
  roleField,
  text,
  user,
} from '../../src/index.ts'

const people = accounts({ roles: ['USER', 'ADMIN'] })
const club = defineResource({ name: 'club', path: '/clubs', fields: { id: id(), name: text() }, access: { get: user } })
const fields = {
  id: id(),
  clubId: reference('club', { onDelete: 'delete' }),
  userId: reference('user', { onDelete: 'delete' }),
  role: roleField({ default: 'PLAYER' }),
}
const membership = defineResource({ name: 'membership', fields, access: {} })
const team = defineResource({
  name: 'team',
  path: '/teams',
  tenant: 'clubId',
  fields: { id: id(), clubId: reference('club') },
  access: { get: member('COACH'), update: member('COACH', { of: 'team' }) },
})
const teamMember = defineResource({
  name: 'teamMember',
  fields: { id: id(), teamId: reference('team'), userId: reference('user'), role: roleField({ default: 'PLAYER' }) },
  access: {},
})
const said = { members: 'membership', user: 'userId', role: 'role', roles: ['PLAYER', 'COACH', 'OWNER'] } as const
const group = { members: 'teamMember', user: 'userId', role: 'role', roles: ['PLAYER', 'COACH'] } as const
const all = [club, membership, team, teamMember, ...people] as const

export const rightList = defineResources([...all, defineTenancy('club', { ...said, groups: { team: group } })])

// @ts-expect-error a resource of tenants that is not there
defineResources([...all, defineTenancy('clib', { ...said, groups: { team: group } })])
// @ts-expect-error memberships that are not there
defineResources([...all, defineTenancy('club', { ...said, members: 'memberships', groups: { team: group } })])
// @ts-expect-error a field of memberships that is not there
defineResources([...all, defineTenancy('club', { ...said, user: 'usrId', groups: { team: group } })])
// @ts-expect-error a role field that is not there
defineResources([...all, defineTenancy('club', { ...said, role: 'rol', groups: { team: group } })])
// @ts-expect-error a status that is not there
defineResources([
  ...all,
  defineTenancy('club', { ...said, status: 'state', activeStatus: 'ON', groups: { team: group } }),
])
// @ts-expect-error a role that a rule names, and memberships do not have
defineResources([...all, defineTenancy('club', { ...said, roles: ['PLAYER', 'OWNER'], groups: { team: group } })])
// @ts-expect-error a role of groups that a rule names
defineResources([...all, defineTenancy('club', { ...said, groups: { team: { ...group, roles: ['PLAYER'] } } })])
// @ts-expect-error a group that is no resource
defineResources([...all, defineTenancy('club', { ...said, groups: { team: group, taem: group } })])
// @ts-expect-error a group that a rule names, and is not declared
defineResources([...all, defineTenancy('club', said)])
// @ts-expect-error members in rules, and no tenancy
defineResources(all)
// @ts-expect-error a default role that memberships do not have
defineResources([...all, defineTenancy('club', { ...said, roles: ['COACH', 'OWNER'], groups: { team: group } })])

// @ts-expect-error a member of the declaration that is not there
defineTenancy('club', { ...said, opertor: user })
// @ts-expect-error a member of a group that is not there
defineTenancy('club', { ...said, groups: { team: { ...group, rles: [] } } })

defineResource({
  name: 'note',
  fields: { id: id(), clubId: reference('club'), title: text() },
  // @ts-expect-error a tenant that is no field
  tenant: 'clbId',
  access: {},
})
