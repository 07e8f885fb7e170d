/**
 * The table of API keys, of which an owner may have many. Each is shown once and stored as a hash.
 */
import { rotateKey } from '../../resource/accounts/credential-actions.ts'
import { engineTable } from '../../resource/accounts/engine-table.ts'
import { defineResource } from '../../resource/define.ts'
import { boolean } from '../../resource/fields/boolean.ts'
import { id } from '../../resource/fields/id.ts'
import { textList } from '../../resource/fields/list.ts'
import { reference } from '../../resource/fields/reference.ts'
import { token } from '../../resource/fields/secret.ts'
import { text } from '../../resource/fields/text.ts'
import { timestamp } from '../../resource/fields/times/timestamp.ts'
import { user } from '../../resource/rules/any-user.ts'
import { owner } from '../../resource/rules/owner.ts'
import { owned } from '../owned.ts'

/** `users`: the name of the resource of users. `prefix`: what every key begins with. */
export function keyTable<const N extends string>(users: N, prefix: string) {
  const declared = defineResource({
    name: 'apiKey',
    description: 'A key for programs. It acts for its owner, cut down to its scopes, and is shown once.',
    path: '/api-keys',
    fields: {
      id: id(),
      userId: reference(users, { setBy: 'principal', onDelete: 'delete' }),
      name: text({ required: true, description: 'Its purpose.', example: 'Nightly import' }),
      key: token({ prefix, description: 'The key itself, for the header X-API-Key.' }),
      prefix: text({ readOnly: true, maxLength: 40, description: 'How it begins.', example: `${prefix}x7Kp2q` }),
      scopes: textList({
        maxLength: 100,
        default: null,
        description: 'The most that it may do; null means all that its owner may.',
        example: ['products:read'],
      }),
      addresses: textList({
        maxLength: 50,
        default: null,
        description: 'The addresses that it works from; null means all.',
        example: ['203.0.113.0/24'],
      }),
      active: boolean({ default: true, description: 'Whether it works.' }),
      expiresAt: timestamp({ description: 'When it ends; null means never.' }),
      lastUsedAt: timestamp({ readOnly: true, description: 'When it was last used, to the minute or so.' }),
      lastUsedFrom: text({
        readOnly: true,
        maxLength: 100,
        description: 'The address that it was last used from.',
        example: '203.0.113.7',
      }),
      rotatedAt: timestamp({ readOnly: true, description: 'When another key took its place.' }),
      createdAt: timestamp({ setOn: 'create' }),
    },
    list: { style: 'page', sortable: ['id', 'name', 'active', 'createdAt', 'expiresAt'], defaultSort: '-createdAt' },
    access: {
      list: owned,
      get: owned,
      create: user,
      replace: owned,
      update: owned,
      delete: owned,
      rotate: owner('userId'),
    },
    actions: { rotate: rotateKey },
  })
  const mark = {
    kind: 'api-key',
    owner: 'userId',
    token: 'key',
    scopes: 'scopes',
    active: 'active',
    expiresAt: 'expiresAt',
    lastUsedAt: 'lastUsedAt',
    prefix: 'prefix',
    lastUsedFrom: 'lastUsedFrom',
    addresses: 'addresses',
    rotatedAt: 'rotatedAt',
  } as const
  return engineTable(declared, mark, { letsIn: true })
}
