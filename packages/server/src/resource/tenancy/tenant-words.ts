/**
 * The words of declarations about tenants, as types that depend on no other: rules and declarations
 * both know them.
 */

/** How a resource says that its records belong to tenants. `K`: its fields. */
export type TenantOption<K extends string = string> =
  | K
  | {
      /** The reference to the tenant, or to a record that belongs to one. */
      readonly by: K
      /** Callers who are no member reach the records too, as far as the rules let them. */
      readonly public?: boolean
    }

/** The way of a record to its tenant. */
export type TenantPath = {
  /** The resource of tenants. */
  readonly tenancy: string
  /** References that lead there; none for a tenant itself. */
  readonly path: readonly string[]
}

/** A resource of memberships. `L`: their roles. */
export type MembersDeclaration<L extends string = string> = {
  /** The resource whose records are the memberships. */
  readonly members: string
  /** Its reference to the user. A membership without a user does not count. */
  readonly user: string
  /** Its `roleField()`, whose words are these roles. */
  readonly role: string
  /** In rising order: a required role means that role or a higher one. */
  readonly roles: readonly L[]
  /** A choice or a state of memberships; without it every membership counts. */
  readonly status?: string
  /** The value of it with which a membership counts. */
  readonly activeStatus?: string
}

/** The part of a tenancy that names its memberships. */
export type DeclaredMemberships = {
  readonly tenancyOf: string
  readonly declaration: MembersDeclaration & { readonly groups?: Readonly<Record<string, MembersDeclaration>> }
}

/** A resource of memberships, and the resource whose records have the members. */
export type DeclaredMembers = { readonly of: string; readonly said: MembersDeclaration; readonly place: string }

/** All resources of memberships of a tenancy: its own first. */
export function declaredMembers({ tenancyOf, declaration }: DeclaredMemberships): readonly DeclaredMembers[] {
  const groups = Object.entries(declaration.groups ?? {})
  return [
    { of: tenancyOf, said: declaration, place: '' },
    ...groups.map(([of, said]) => ({ of, said, place: `groups.${of}.` })),
  ]
}

/** The resources of tenants. */
export function tenantNames(tenancies: readonly DeclaredMemberships[]): ReadonlySet<string> {
  return new Set(tenancies.map(({ tenancyOf }) => tenancyOf))
}
