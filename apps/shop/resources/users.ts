/**
 * The users who may log in. `identity` marks this as the resource whose records log in; the roles
 * are in `index.ts`.
 */
import {
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
  verifyAddress,
} from 'bindery-server'

const self = anyOf([owner('id'), role('ADMIN')])

/**
 * Where sign-up needs approval, or the proof of the address, only users that an ADMIN creates can
 * log in at once.
 */
const firstStatus = ({ settings, role }: DefaultContext) =>
  (settings.signUp === 'approval' || settings.verifyEmail) && role !== 'ADMIN' ? 'INACTIVE' : 'ACTIVE'

export const users = defineResource({
  name: 'user',
  description: 'A person who may log in, with a role that says what else they may do.',
  path: '/users',
  fields: {
    id: id(),
    email: text({
      required: true,
      unique: true,
      format: 'email',
      description: 'The address to log in with, unique in any case.',
      example: 'ada@example.com',
    }),
    password: password({ required: true, description: 'The password to log in with. Nobody sees it.' }),
    name: text({ description: 'What others call them.', example: 'Ada' }),
    role: roleField({
      default: 'USER',
      write: role('ADMIN'),
      keepOnReplace: true,
      description: 'An EDITOR maintains the catalogue, an ADMIN does everything.',
    }),
    status: state(['ACTIVE', 'INACTIVE', 'SUSPENDED'], {
      default: firstStatus,
      description: 'Only an ACTIVE user may log in or act.',
      write: role('ADMIN'),
      keepOnReplace: true,
      transitions: {
        activate: { from: ['INACTIVE', 'SUSPENDED'], to: 'ACTIVE', repeatable: true },
        suspend: { from: ['ACTIVE', 'INACTIVE'], to: 'SUSPENDED', repeatable: true },
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
    activate: role('ADMIN'),
    suspend: role('ADMIN'),
    verify: owner('id'),
  },
  actions: { verify: verifyAddress },
  messages: { conflict: 'email is already taken' },
  display: { title: 'name' },
  children: {
    orders: { resource: 'order', by: 'userId', operations: ['list'] },
    cart: { resource: 'cart', by: 'userId', single: true },
    auditEvents: { resource: 'auditEvent', by: 'userId', operations: ['list'] },
  },
  graphql: {
    query: { me: { operation: 'get', returns: 'self' }, users: { operation: 'list', limit: 100, returns: 'list' } },
    mutation: { deleteUser: { operation: 'delete', access: role('ADMIN'), returns: 'success' } },
  },
})
