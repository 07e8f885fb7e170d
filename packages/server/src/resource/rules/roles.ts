/**
 * The roles of an application, in rising order, and the one that operates it. An application says
 * them once; the engine knows none by name. This is the only place that compares two roles.
 */

import type { IdentityMark } from '../accounts/identity-mark.ts'
import type { Fields } from '../fields/field.ts'
import type { ServiceSettings } from '../rule.ts'

export type Roles = {
  /** In rising order; none in an application without users. */
  readonly names: readonly string[]
  /** The first of them; empty where there are none. */
  readonly lowest: string
  /** The last of them; empty where there are none. */
  readonly highest: string
  /** The role of those who run the service; empty where there are none. */
  readonly operator: string
  /**
   * Whether the role is the required one or a higher one. A role that the application does not
   * declare, as an old token or an old row may have it, reaches none.
   */
  reaches(held: unknown, required: string): boolean
}

/** The operator's role is the last one, unless the application says otherwise. */
export function makeRoles(names: readonly string[], operator: string = names.at(-1) ?? ''): Roles {
  const places: ReadonlyMap<unknown, number> = new Map(names.map((name, at) => [name, at]))
  return {
    names,
    lowest: names[0] ?? '',
    highest: names.at(-1) ?? '',
    operator,
    reaches: (held, required) => (places.get(held) ?? -1) >= (places.get(required) ?? Infinity),
  }
}

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

/** The roles from this one on. */
export function rolesFrom(roles: Roles, lowest: string): readonly string[] {
  return roles.names.filter((one) => roles.reaches(one, lowest))
}

/**
 * Whether a user of this role needs a second factor. Where everyone needs one, so does a user
 * whose role the application does not declare.
 */
export function needsFactor({ mfaFrom }: Pick<ServiceSettings, 'mfaFrom'>, roles: Roles, held: unknown): boolean {
  return mfaFrom !== undefined && (mfaFrom === roles.lowest || roles.reaches(held, mfaFrom))
}
