/**
 * The roles of an application in its declarations: the application declares them once, and the
 * engine knows none by name.
 */

import type { IdentityMark } from '../accounts/identity-mark.ts'
import type { Fields } from '../fields/field.ts'
import type { ServiceSettings } from '../rule.ts'
import { makeRoles, type Roles } from './role-order.ts'

type UsersDeclaration = { readonly identity?: IdentityMark | undefined; readonly fields: Fields }

/** The resource of users; undefined where the list has none. */
export function findUsers<D extends Pick<UsersDeclaration, 'identity'>>(declarations: Iterable<D>) {
  for (const one of declarations) if (one.identity?.kind === 'login') return { ...one, identity: one.identity }
  return undefined
}

/**
 * The roles that the users of a list of declarations may have. They are the words of the field that
 * their mark names, with their abilities if they have some. None where the list has no users, or
 * where their mark is wrong, which is a mistake of its own.
 */
export function rolesOf(declarations: Iterable<UsersDeclaration>): Roles {
  const users = findUsers(declarations)
  const field = users?.fields[users.identity.role]
  return makeRoles(field?.abilities ?? field?.values ?? [], users?.identity.operator)
}

/**
 * Whether a user of this role needs a second factor. Where everyone needs one, so does a user
 * whose role the application does not declare.
 */
export function needsFactor({ mfaFor }: Pick<ServiceSettings, 'mfaFor'>, held: unknown): boolean {
  return mfaFor === 'everyone' || (mfaFor?.includes(held as string) ?? false)
}
