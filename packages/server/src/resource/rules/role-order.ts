/**
 * Roles in rising order. Only this file compares two roles. It knows no field and no declaration,
 * so that rules can import it.
 */

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

/** The roles from this one on. */
export function rolesFrom(roles: Roles, lowest: string): readonly string[] {
  return roles.names.filter((one) => roles.reaches(one, lowest))
}
