/** Checks the mark of users: each part must be a field that identity can use. */

import { type DeclarationCheck, fieldOf, noField } from '../checks/declaration-check.ts'
import type { Field } from '../fields/field.ts'
import { printValue } from '../members.ts'
import { didYouMean } from '../words/nearest.ts'
import { isVerification } from './credential-actions.ts'
import { markOf } from './engine-table.ts'
import type { LoginMark } from './identity-mark.ts'

type MarkPart = {
  readonly is: (field: Field) => boolean
  readonly must: string
}

const parts: {
  readonly [P in Exclude<keyof LoginMark, 'kind' | 'operator' | 'erasure' | 'code' | 'activeStatus'>]-?: MarkPart
} = {
  login: {
    is: ({ type }) => type.column === 'text' && type.secret === undefined && !type.referredBy,
    must: 'be a text',
  },
  secret: { is: ({ type }) => type.secret === 'sent', must: 'be a password()' },
  role: { is: ({ values, takesRoles }) => takesRoles || values !== undefined, must: 'be a roleField()' },
  status: { is: ({ values }) => values !== undefined, must: 'be a choice or a state' },
}

/**
 * Role names are also names in GraphQL, in commands and in variables that hold lists with commas.
 */
const roleName = /^(?!(?:true|false|null)$)(?!__)[A-Za-z_][A-Za-z0-9_]*$/

function checkRoles({ declared, report }: DeclarationCheck, { role, operator }: LoginMark): void {
  const names = fieldOf(declared, role)?.values ?? []
  for (const name of names)
    if (!roleName.test(name))
      report('identity.role', `the role "${name}" must be letters, digits and _, and begin with a letter`)
  if (operator !== undefined && names.length > 0 && !names.includes(operator))
    report('identity.operator', `no role "${operator}"${didYouMean(operator, names)}`)
}

/** Two users with one name would share a log-in, and only the first could use it. */
function checkLogin({ declared, report }: DeclarationCheck, { login, status, activeStatus }: LoginMark): void {
  const field = fieldOf(declared, login)
  const isUnique = field?.unique || declared.unique?.some((key) => key.length === 1 && key[0] === login)
  if (field && !isUnique)
    report('identity.login', `"${login}" must be unique, or two could share it and only one log in: unique: true`)
  if (field?.nullable) report('identity.login', `"${login}" must be required: users log in with it`)
  if ((status === undefined) !== (activeStatus === undefined))
    report('identity', 'status and activeStatus come together')
  const states = fieldOf(declared, status ?? '')?.values
  if (states && activeStatus !== undefined && !states.includes(activeStatus))
    report(
      'identity.activeStatus',
      `"${status}" cannot be ${printValue(activeStatus)}${didYouMean(activeStatus, states)}`,
    )
}

/** Tokens name the user, by an id that is a text. */
function checkNamedInTokens({ declared, report }: DeclarationCheck): void {
  for (const [name, { type }] of Object.entries(declared.fields))
    if (type.referredBy && type.column !== 'text')
      report(`field "${name}"`, 'must be id(): tokens name users by it, and a number is refused in them')
}

/** Each part of the mark is a field that identity can use. */
function checkParts({ declared, report }: DeclarationCheck, mark: LoginMark): void {
  for (const [name, part] of Object.entries<MarkPart>(parts)) {
    const named = mark[name as keyof typeof parts]
    if (named === undefined) continue
    const field = fieldOf(declared, named)
    if (!field) report(`identity.${name}`, noField(declared, named))
    else if (field.virtual || !part.is(field)) report(`identity.${name}`, `"${named}" must ${part.must}`)
  }
}

export function checkIdentity(context: DeclarationCheck): void {
  const { declared, byName, report } = context
  const mark = declared.identity
  if (declared.tenant !== undefined && markOf(declared))
    report('tenant', 'is not for users, sessions and keys, which belong to people')
  for (const [name, action] of Object.entries(declared.actions ?? {}))
    if (isVerification(action) && !mark) report(`actions.${name}`, 'verifyAddress is for the resource of the log-in')
  if (!mark) return
  const first = [...byName.values()].find(({ identity }) => identity !== undefined)
  if (first !== declared) report('identity', `"${first?.name}" is marked as "${mark.kind}" already`)
  checkParts(context, mark)
  checkNamedInTokens(context)
  checkLogin(context, mark)
  checkRoles(context, mark)
}
