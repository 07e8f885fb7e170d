/**
 * The resource of users for an application that declares none: owners of keys, made at the first
 * start and on the command line.
 */
import { defineResource } from '../../resource/define.ts'
import { id } from '../../resource/fields/id.ts'
import { roleField } from '../../resource/fields/role-field.ts'
import { password } from '../../resource/fields/secret.ts'
import { text } from '../../resource/fields/text.ts'
import { timestamp } from '../../resource/fields/times/timestamp.ts'

/**
 * They have no path and no operations. `lowest`: the role of a new one; where it is empty, each is
 * given one.
 */
export function keyOwners(lowest: string) {
  return defineResource({
    name: 'user',
    description: 'A person whom API keys belong to.',
    fields: {
      id: id(),
      email: text({ required: true, unique: true, format: 'email' }),
      password: password({ required: true }),
      role: lowest === '' ? roleField({ required: true }) : roleField({ default: lowest }),
      createdAt: timestamp({ setOn: 'create' }),
    },
    identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
    access: {},
  })
}
