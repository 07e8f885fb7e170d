/** The people who may log in. Sign-up follows the settings; only an ADMIN sets role and status. */
import {
  accounts,
  anyOf,
  anyone,
  type DefaultContext,
  defineResource,
  id,
  onlyWhen,
  owner,
  password,
  role,
  roleField,
  state,
  text,
  timestamp,
} from 'bindery-server'

const self = anyOf([owner('id'), role('ADMIN')])

const firstStatus = ({ settings, role }: DefaultContext) =>
  settings.signUp === 'approval' && role !== 'ADMIN' ? 'WAITING' : 'ACTIVE'

const users = defineResource({
  name: 'member',
  path: '/members',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    name: text(),
    role: roleField({ default: 'USER', write: role('ADMIN'), keepOnReplace: true }),
    status: state(['ACTIVE', 'WAITING', 'BARRED'], {
      default: firstStatus,
      write: role('ADMIN'),
      keepOnReplace: true,
      transitions: {
        admit: { from: ['WAITING', 'BARRED'], to: 'ACTIVE', repeatable: true },
        bar: { from: ['ACTIVE', 'WAITING'], to: 'BARRED', repeatable: true },
      },
    }),
    createdAt: timestamp({ setOn: 'create' }),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  identity: {
    kind: 'login',
    login: 'email',
    secret: 'password',
    role: 'role',
    status: 'status',
    activeStatus: 'ACTIVE',
  },
  list: {
    style: 'page',
    sortable: ['id', 'email', 'name', 'role', 'status', 'createdAt', 'updatedAt'],
    defaultSort: '-createdAt',
    search: ['email', 'name'],
  },
  access: {
    list: role('ADMIN'),
    create: onlyWhen((settings) => settings.signUp === 'closed', role('ADMIN'), anyone),
    get: self,
    replace: self,
    update: self,
    delete: self,
    admit: role('ADMIN'),
    bar: role('ADMIN'),
  },
  messages: { conflict: 'email is already taken' },
  children: {
    loans: { resource: 'loan', by: 'memberId', operations: ['list'] },
    basket: { resource: 'basket', by: 'memberId', single: true },
  },
  graphql: {
    query: {
      me: { operation: 'get', returns: 'self' },
      members: { operation: 'list', limit: 100, returns: 'list' },
    },
    mutation: { deleteMember: { operation: 'delete', access: role('ADMIN'), returns: 'success' } },
  },
})

/** Its tables have names of their own, and members may call their second factors what they like. */
export const people = accounts({
  roles: ['USER', 'EDITOR', 'ADMIN'],
  users,
  keys: { name: 'accessKey', path: '/access-keys' },
  sessions: { name: 'visit', path: '/visits' },
  factors: { name: 'proof', path: '/proofs', access: { update: anyOf([owner('userId'), role('ADMIN')]) } },
  recovery: false,
  audit: false,
  linkedAccounts: false,
  erasure: true,
})
export const members = people.users
