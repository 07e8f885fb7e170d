/**
 * Checks of `defineTenancy` at compile time, where the resources of a list are known. They are
 * about its resources and fields, and the roles of memberships. Each mistake is a sentence, as a
 * type.
 */
import type { StoredName } from '../record-of.ts'
import type { DeclaredFieldsOf, NamesOf, ResourceNamed } from '../resource-list.ts'
import type { Rule } from '../rule.ts'
import type { DeclaredTenancy, TenancyDeclaration } from './define-tenancy.ts'

type DeclarationsIn<A> = A extends DeclaredTenancy<string, infer D> ? D : never
type GroupsIn<A> = DeclarationsIn<A> extends infer D ? (D extends { readonly groups: infer G } ? G : never) : never
type RolesSaid<T> = T extends { readonly roles: readonly (infer L)[] } ? L : never

/** The roles of the memberships that are records of this resource; `never` for other resources. */
export type RolesOfMembers<N, A> =
  | MembersNamed<DeclarationsIn<A>, N>
  | (GroupsIn<A> extends infer G ? (G extends unknown ? MembersNamed<G[keyof G], N> : never) : never)
type MembersNamed<T, N> = T extends { readonly members: N } ? RolesSaid<T> : never

/** `G`: the resource of groups, or nothing for the tenant; `M`: the role, or nothing for any. */
export type WrongMemberRole<G extends string, M extends string, A> = [DeclarationsIn<A>] extends [never]
  ? `member: no defineTenancy in the list`
  : string extends G | M
    ? never // a rule of an unknown role, as programs make them
    : G extends ''
      ? WrongRoleOf<M, DeclarationsIn<A>>
      : G extends GroupNames<A>
        ? WrongRoleOf<M, GroupNamed<A, G>>
        : `member: no group "${G}"`
type GroupNames<A> = GroupsIn<A> extends infer G ? (G extends unknown ? keyof G : never) : never
type GroupNamed<A, N> = GroupsIn<A> extends infer G ? (N extends keyof G ? G[N] : never) : never
type WrongRoleOf<M extends string, T> = M extends '' | RolesSaid<T> ? never : `member: no role "${M}"`

type WrongMembers<T, A> = T extends { readonly members: infer M extends string }
  ? M extends NamesOf<A>
    ? WrongNames<T, M, StoredName<DeclaredFieldsOf<ResourceNamed<A, M>>>>
    : `members: no resource "${M}"`
  : never
type WrongNames<T, M extends string, F> = {
  [K in 'user' | 'role' | 'status']: T extends { readonly [_ in K]: infer X extends string }
    ? X extends F
      ? never
      : `${K}: no field "${X}" in "${M}"`
    : never
}['user' | 'role' | 'status']

type WrongGroups<T, A> = T extends { readonly groups: infer G }
  ? {
      [N in keyof G & string]: N extends NamesOf<A>
        ? `groups.${N}: ${WrongMembers<G[N], A>}`
        : `groups: no resource "${N}"`
    }[keyof G & string]
  : never

/** A role that the rule of invitations names. */
type WrongInviters<D, A> = D extends { readonly invitations: Rule<never, never, infer L> }
  ? L extends `member:${infer G}:${infer M}`
    ? WrongMemberRole<G, M, A>
    : never
  : never

/** Every sentence about a tenancy; `never` where there is none. */
export type WrongTenancy<N extends string, D extends TenancyDeclaration, A> =
  | (N extends NamesOf<A> ? WrongMembers<D, A> : `no resource "${N}"`)
  | WrongGroups<D, A>
  | WrongInviters<D, A> extends infer W extends string
  ? `defineTenancy("${N}"): ${W}`
  : never
