/** API keys for machines: a member may have many, and each is shown once. */
import {
  boolean,
  defineResource,
  either,
  id,
  owner,
  reference,
  role,
  text,
  textList,
  timestamp,
  token,
  user,
} from 'bindery-server'

const owned = either([owner('memberId'), role('ADMIN')])

export const accessKeys = defineResource({
  name: 'accessKey',
  path: '/access-keys',
  fields: {
    id: id(),
    memberId: reference('member', { setBy: 'principal', onDelete: 'delete' }),
    name: text({ required: true }),
    secret: token({ prefix: 'bk_' }),
    scopes: textList({ maxLength: 100, default: null }),
    active: boolean({ default: true }),
    expiresAt: timestamp(),
    lastUsedAt: timestamp({ readOnly: true }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  identity: {
    kind: 'api-key',
    owner: 'memberId',
    token: 'secret',
    scopes: 'scopes',
    active: 'active',
    expiresAt: 'expiresAt',
    lastUsedAt: 'lastUsedAt',
  },
  list: { style: 'page', sortable: ['id', 'name', 'active', 'createdAt', 'expiresAt'], defaultSort: '-createdAt' },
  access: { list: owned, get: owned, create: user, replace: owned, update: owned, delete: owned },
})
