/**
 * The roles of an application: in rising order, or as sets of abilities without one. Only this file
 * compares two roles. It knows no field and no declaration, so that rules can import it.
 */

/** The abilities of each role: `{ TREASURER: ['fees:write'] }`. */
export type AbilitySets = Readonly<Record<string, readonly string[]>>
/** Roles in rising order, or the abilities of each. */
export type RolesDeclaration = readonly string[] | AbilitySets

/** The roles of such a declaration, for the compiler. */
export type RoleOf<G> = G extends readonly (infer L extends string)[] ? L : Extract<keyof G, string>
/** The word in types for an ability that a rule names. No role has a space in its name. */
export type AbilityWord<B extends string> = `ability ${B}`
/** The words that rules may name: roles and abilities. */
export type RuleWord<G> =
  | RoleOf<G>
  | (G extends readonly string[] ? never : G extends AbilitySets ? AbilityWord<G[keyof G][number]> : never)

export type Roles = {
  /**
   * In rising order. Roles without an order stand as the declaration lists them. None in an
   * application without users.
   */
  readonly names: readonly string[]
  /** Whether each role is above the one before it. */
  readonly isOrdered: boolean
  /** Every ability that some role has; none where roles are in order. */
  readonly abilities: readonly string[]
  /** The first role that every role reaches; empty where there is none. */
  readonly lowest: string
  /** The last role that reaches every role, or else the operator's; empty without users. */
  readonly highest: string
  /** The role of those who run the service; empty where there are none. */
  readonly operator: string
  /**
   * Whether the role is the required one or a higher one, or has all of its abilities. A role that
   * the application does not declare, as an old token or an old row may have it, reaches none.
   */
  reaches(held: unknown, required: string): boolean
  /** Whether the role has this ability. */
  has(held: unknown, ability: string): boolean
}

export function isOrder(declared: RolesDeclaration): declared is readonly string[] {
  return Array.isArray(declared)
}

export function roleNamesOf(declared: RolesDeclaration): readonly string[] {
  return isOrder(declared) ? declared : Object.keys(declared)
}

/** For each role the roles that it reaches. */
function reachedByRole(declared: RolesDeclaration): ReadonlyMap<unknown, ReadonlySet<string>> {
  if (isOrder(declared)) return new Map(declared.map((name, at) => [name, new Set(declared.slice(0, at + 1))]))
  const sets = Object.entries(declared).map(([name, abilities]) => [name, new Set(abilities)] as const)
  return new Map(
    sets.map(([name, own]) => [name, new Set(sets.filter(([, set]) => set.isSubsetOf(own)).map(([other]) => other))]),
  )
}

/** The operator's role is the highest one, unless the application says otherwise. */
export function makeRoles(declared: RolesDeclaration, operator?: string): Roles {
  const names = roleNamesOf(declared)
  const reached = reachedByRole(declared)
  const sets: AbilitySets = isOrder(declared) ? {} : declared
  const abilities = new Map<unknown, ReadonlySet<string>>(
    Object.entries(sets).map(([name, list]) => [name, new Set(list)]),
  )
  const reaches = (held: unknown, required: string) => reached.get(held)?.has(required) ?? false
  const highest = names.findLast((one) => names.every((other) => reaches(one, other)))
  return {
    names,
    isOrdered: isOrder(declared),
    abilities: [...new Set(Object.values(sets).flat())],
    lowest: names.find((one) => names.every((other) => reaches(other, one))) ?? '',
    highest: highest ?? operator ?? '',
    operator: operator ?? highest ?? '',
    reaches,
    has: (held, ability) => abilities.get(held)?.has(ability) ?? false,
  }
}

/** The role and all that reach it. */
export function rolesFrom(roles: Roles, required: string): readonly string[] {
  return roles.names.filter((one) => roles.reaches(one, required))
}

/** The roles that have this ability. */
export function rolesWith(roles: Roles, ability: string): readonly string[] {
  return roles.names.filter((one) => roles.has(one, ability))
}

/**
 * The first of these that no other of them is above. The lowest role where none of them is
 * declared.
 */
export function highestOf(roles: Roles, found: readonly string[]): string {
  const known = found.filter((one) => roles.names.includes(one))
  const isBelow = (one: string, other: string) => roles.reaches(other, one) && !roles.reaches(one, other)
  return known.find((one) => !known.some((other) => isBelow(one, other))) ?? roles.lowest
}
