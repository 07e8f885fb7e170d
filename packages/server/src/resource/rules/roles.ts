/**
 * The roles of an application in its declarations: the application declares them once, and the
 * engine knows none by name.
 */

import type { IdentityMark } from '../accounts/identity-mark.ts'
import type { Fields } from '../fields/field.ts'
import type { ServiceSettings } from '../rule.ts'
import { makeRoles, type Roles } from './role-order.ts'

type UsersDeclaration = { readonly identity?: IdentityMark | undefined; readonly fields: Fields }

/**
 * The roles that the users of a list of declarations may have: the words of the field that their
 * mark names. None where the list has no users, or where their mark is wrong, which is a mistake
 * of its own.
 */
export function rolesOf(declarations: Iterable<UsersDeclaration>): Roles {
  for (const { identity: mark, fields } of declarations) {
    if (mark?.kind !== 'login') continue
    return makeRoles(fields[mark.role]?.values ?? [], mark.operator)
  }
  return makeRoles([])
}

/**
 * Whether a user of this role needs a second factor. Where everyone needs one, so does a user
 * whose role the application does not declare.
 */
export function needsFactor({ mfaFrom }: Pick<ServiceSettings, 'mfaFrom'>, roles: Roles, held: unknown): boolean {
  return mfaFrom !== undefined && (mfaFrom === roles.lowest || roles.reaches(held, mfaFrom))
}
