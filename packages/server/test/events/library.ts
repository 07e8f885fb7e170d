/**
 * An application whose changes are followed: notes with rules of many kinds, projects that notes
 * look into, a tree of folders, and posts of clubs. The rules of notes and posts may be replaced.
 */
import {
  accounts,
  allOf,
  anyOf,
  boolean,
  can,
  choice,
  defineResource,
  defineTenancy,
  id,
  integer,
  list,
  member,
  operator,
  owner,
  password,
  reference,
  role,
  roleField,
  some,
  text,
  through,
  user,
  where,
} from '../../src/index.ts'
import type { Rule } from '../../src/resource/rule.ts'
import type { Declared } from '../../src/resource/tenancy/define-tenancy.ts'

const admin = role('ADMIN')
const usual = anyOf([owner('ownerId'), where({ state: 'OPEN' })]) as Rule
/** The administrator writes everything, so it sees everything. */
const seenBy = (rule: Rule) => ({ read: anyOf([admin, rule as never]), write: user })

const users = defineResource({
  name: 'user',
  path: '/users',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'USER', write: operator }),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  list: { style: 'page' },
  access: { list: operator, create: operator, get: user, update: user, delete: operator },
})

const projects = defineResource({
  name: 'project',
  path: '/projects',
  // Filters of notes look into it.
  changes: true,
  fields: {
    id: id(),
    ownerId: reference('user', { onDelete: 'clear' }),
    isOpen: boolean({ default: false }),
    level: integer({ default: 0 }),
  },
  children: { notes: { resource: 'note', by: 'projectId' } },
  list: { style: 'page', filterable: ['isOpen', 'level', 'ownerId'] },
  access: seenBy(anyOf([owner('ownerId'), where({ isOpen: true })])),
})

const folders = defineResource({
  name: 'folder',
  path: '/folders',
  changes: { fields: ['parentId'] },
  fields: {
    id: id(),
    parentId: reference('folder', { tree: { depth: 6 }, onDelete: 'clear' }),
    isOpen: boolean({ default: true }),
  },
  list: { style: 'page', filterable: ['isOpen'] },
  access: seenBy(where({ isOpen: true })),
})

const notes = ({ note: rule = usual, price: shown = owner('ownerId') as Rule, keepsTrash = true }: LibraryRules) =>
  defineResource({
    name: 'note',
    path: '/notes',
    changes: true,
    ...(keepsTrash && { trash: { days: 30 } }),
    fields: {
      id: id(),
      ownerId: reference('user', { onDelete: 'clear' }),
      projectId: reference('project', { onDelete: 'clear' }),
      folderId: reference('folder', { onDelete: 'clear' }),
      aboutId: reference('note', { onDelete: 'clear' }),
      state: choice(['DRAFT', 'OPEN', 'DONE'], { default: 'DRAFT' }),
      rank: integer({ default: 0 }),
      title: text({ maxLength: 100 }),
      tags: list(choice(['A', 'B', 'C'])),
      inner: text({ maxLength: 100, hidden: true }),
      price: integer({ read: anyOf([admin, shown as never]) }),
    },
    children: { answers: { resource: 'note', by: 'aboutId' } },
    list: {
      style: 'page',
      sortable: ['rank'],
      search: ['title'],
      filterable: ['state', 'rank', 'projectId', 'folderId', 'ownerId', 'tags', 'price', 'aboutId'],
      bulk: true,
    },
    access: { ...seenBy(rule), import: admin },
  })

/** A delete of the note deletes them, or moves them to the trash with it. */
const remarks = ({ keepsTrash = true }: LibraryRules) =>
  defineResource({
    name: 'remark',
    path: '/remarks',
    changes: true,
    ...(keepsTrash && { trash: { days: 30 } }),
    fields: {
      id: id(),
      noteId: reference('note', { required: true, onDelete: 'delete' }),
      state: choice(['DRAFT', 'OPEN'], { default: 'OPEN' }),
    },
    list: { style: 'page', filterable: ['state', 'noteId'] },
    access: seenBy(where({ state: 'OPEN' })),
  })

const clubs = defineResource({
  name: 'club',
  path: '/clubs',
  fields: { id: id(), name: text({ required: true, maxLength: 100 }) },
  list: { style: 'page' },
  access: { read: user, create: user, write: anyOf([admin, member('OWNER')]) },
  children: { memberships: { resource: 'membership', by: 'clubId' } },
})

const memberships = defineResource({
  name: 'membership',
  path: '/memberships',
  fields: {
    id: id(),
    clubId: reference('club', { required: true, onDelete: 'delete' }),
    userId: reference('user', { required: true, onDelete: 'delete' }),
    role: roleField({ default: 'PLAYER' }),
    state: choice(['ACTIVE', 'PAUSED'], { default: 'ACTIVE' }),
  },
  list: { style: 'page' },
  access: { read: member(), write: member('COACH') },
})

const teams = defineResource({
  name: 'team',
  path: '/teams',
  tenant: 'clubId',
  fields: {
    id: id(),
    clubId: reference('club', { required: true, onDelete: 'delete' }),
    name: text({ required: true, maxLength: 100 }),
  },
  list: { style: 'page' },
  access: { read: member(), write: member('COACH') },
})

const teamMembers = defineResource({
  name: 'teamMember',
  path: '/team-members',
  fields: {
    id: id(),
    teamId: reference('team', { required: true, onDelete: 'delete' }),
    userId: reference('user', { required: true, onDelete: 'delete' }),
    role: roleField({ default: 'PLAYER' }),
  },
  list: { style: 'page' },
  access: { read: member(), write: member('COACH') },
})

const posts = (rule: Rule) =>
  defineResource({
    name: 'post',
    path: '/posts',
    tenant: 'clubId',
    changes: { fields: ['clubId', 'state', 'title'] },
    fields: {
      id: id(),
      clubId: reference('club', { required: true, onDelete: 'delete' }),
      teamId: reference('team', { onDelete: 'clear' }),
      userId: reference('user', { onDelete: 'clear' }),
      state: choice(['DRAFT', 'OPEN'], { default: 'DRAFT' }),
      title: text({ maxLength: 100 }),
      rank: integer({ default: 0 }),
    },
    list: { style: 'page', filterable: ['state', 'title'] },
    access: { read: rule as never, write: member() },
  })

const membersOf = { user: 'userId', role: 'role' } as const

const tenancy = defineTenancy('club', {
  members: 'membership',
  ...membersOf,
  roles: ['PLAYER', 'COACH', 'OWNER'],
  status: 'state',
  activeStatus: 'ACTIVE',
  operator: role('SUPPORT'),
  groups: { team: { members: 'teamMember', ...membersOf, roles: ['PLAYER', 'COACH'] } },
})

export type LibraryRules = {
  readonly note?: Rule
  readonly price?: Rule
  readonly post?: Rule
  readonly keepsTrash?: boolean
}

/** The rules that random tests join. */
export const noteRules: readonly Rule[] = [
  owner('ownerId'),
  where({ state: 'OPEN' }),
  where({ state: { ne: 'DRAFT' }, rank: { gte: 3 } }),
  where({ tags: { contains: 'A' } }),
  where({ inner: 'x' }),
  role('SUPPORT'),
  through('projectId', where({ isOpen: true })),
  through('projectId', owner('ownerId')),
  can('projectId'),
]
/** A trash has no records below its own, so no rule of it asks for these. */
export const rulesBelow: readonly Rule[] = [some('answers', where({ state: 'OPEN' }))]
export const postRules: readonly Rule[] = [
  member(),
  member('COACH'),
  allOf([member(), where({ state: 'OPEN' })]),
  allOf([member(), owner('userId')]),
  anyOf([member('COACH'), allOf([member(), where({ state: 'OPEN' })])]),
  member('PLAYER', { of: 'team' }),
]

export const people = accounts({ roles: ['USER', 'SUPPORT', 'ADMIN'], operator: 'ADMIN', users, keys: true })

export function library(rules: LibraryRules = {}) {
  const { post = postRules[4] as Rule } = rules
  const declared: readonly unknown[] = [
    projects,
    folders,
    notes(rules),
    remarks(rules),
    clubs,
    memberships,
    teams,
    teamMembers,
    posts(post),
    tenancy,
    ...people,
  ]
  return declared as readonly Declared[]
}
