/**
 * The tables of second factors and of recovery codes. The secrets that check factors are encrypted,
 * and no response shows them.
 */

import { currentPassword } from '../../resource/accounts/credentials.ts'
import { engineTable } from '../../resource/accounts/engine-table.ts'
import { factorTypes } from '../../resource/accounts/identity-mark.ts'
import { defineResource } from '../../resource/define.ts'
import { choice } from '../../resource/fields/choice.ts'
import { id } from '../../resource/fields/id.ts'
import { reference } from '../../resource/fields/reference.ts'
import { hash, sealed } from '../../resource/fields/secret.ts'
import { text } from '../../resource/fields/text.ts'
import { timestamp } from '../../resource/fields/times/timestamp.ts'
import type { ProvenRemoval } from '../../resource/traits.ts'
import { owned } from '../owned.ts'
import { checkNames, confirmationIn, confirmationNames } from './proof.ts'

/** A user who removes a factor of their own proves their identity. */
const removal: ProvenRemoval = {
  schema: 'FactorProof',
  example: { [currentPassword]: 'correct horse battery' },
  read(body, place) {
    checkNames(body, confirmationNames)
    return confirmationIn(body, place)
  },
}

/**
 * `users`: the name of the resource of users. `renamed`: whether a rule lets its name be changed.
 */
export function factorTable<const N extends string>(users: N, renamed: boolean) {
  const declared = defineResource({
    name: 'factor',
    description: 'The proof that a user adds to the password: an authenticator app, or a passkey.',
    path: '/factors',
    fields: {
      id: id(),
      userId: reference(users, { readOnly: true, onDelete: 'delete' }),
      type: choice(factorTypes, { readOnly: true, description: 'Codes of an app, or a key of a device.' }),
      name: text({
        readOnly: !renamed,
        maxLength: 100,
        description: 'The name that its owner gives it.',
        example: 'My phone',
      }),
      key: sealed(),
      credential: hash(),
      createdAt: timestamp({ setOn: 'create' }),
      lastUsedAt: timestamp({ readOnly: true, description: 'When it was last used.' }),
    },
    list: { style: 'page', filterable: [] },
    access: { list: owned, get: owned, delete: owned },
  })
  const mark = {
    kind: 'factor',
    owner: 'userId',
    type: 'type',
    name: 'name',
    key: 'key',
    credential: 'credential',
    lastUsedAt: 'lastUsedAt',
  } as const
  return engineTable(declared, mark, { isCredential: true, removal })
}

/** It has no operations, so no caller sees the codes, which are hashes anyway. */
export function recoveryCodeTable<const N extends string>(users: N) {
  const declared = defineResource({
    name: 'recoveryCode',
    description: 'A code that replaces a lost second factor once, stored as a digest.',
    fields: { id: id(), userId: reference(users, { readOnly: true, onDelete: 'delete' }), hash: hash() },
    access: {},
  })
  return engineTable(declared, { kind: 'recovery-code', owner: 'userId', hash: 'hash' }, { isCredential: true })
}
