/**
 * Checks at compile time between the resources of a list, where all names are known. It finds
 * references to missing resources, and missing fields of other records in rules, virtual fields and
 * `match`. It also finds roles and abilities that `accounts` does not declare. Each mistake is a
 * sentence, as a type. The start finds the same mistakes again.
 */
import type { DeclaredResource } from './define.ts'
import type { DeclaredConsole } from './display/define-console.ts'
import type { FieldName, TraitsOf } from './record-of.ts'
import type { AbilityWord } from './rules/role-order.ts'
import type { Declared, DeclaredTenancy } from './tenancy/define-tenancy.ts'
import type { RolesOfMembers, WrongMemberRole, WrongTenancy } from './tenancy/tenancy-problems.ts'

/** A resource of the list `A` by its name. */
export type ResourceNamed<A, N> = A extends { readonly name: N } ? A : never
export type DeclaredFieldsOf<D> = D extends { readonly fields: infer F } ? F : never
export type NamesOf<A> = A extends { readonly name: infer N } ? N : never
type TargetOf<X> = TraitsOf<X> extends { readonly refers: infer T extends string } ? T : never

type ChildrenOf<D> = D extends { readonly children?: infer C } ? NonNullable<C> : never
type ChildTarget<D, R> = R extends keyof ChildrenOf<D>
  ? ChildrenOf<D>[R] extends { readonly resource: infer T extends string }
    ? T
    : never
  : never

/**
 * `orderId.userId`: from a field of `D` through references of the list. `/members.userId`: from its
 * children. `caller:email`: a field of users.
 */
type WrongPath<P, D, A> = P extends `caller:${infer N}`
  ? WrongCaller<N, A>
  : P extends `/${infer R}.${infer Rest}`
    ? [ChildTarget<D, R>] extends [never]
      ? `no children "${R}"`
      : WrongEnd<Rest, ResourceNamed<A, ChildTarget<D, R>>, A>
    : P extends `${infer K}.${infer Rest}`
      ? K extends keyof DeclaredFieldsOf<D>
        ? [TargetOf<DeclaredFieldsOf<D>[K]>] extends [never]
          ? `"${K}" is no reference`
          : WrongEnd<Rest, ResourceNamed<A, TargetOf<DeclaredFieldsOf<D>[K]>>, A>
        : `no field "${K}"`
      : never
type WrongEnd<Rest, T, A> = [T] extends [never]
  ? never // reported with the reference
  : Rest extends `${string}.${string}`
    ? WrongPath<Rest, T, A>
    : Rest extends `/${infer R}`
      ? R extends keyof ChildrenOf<T>
        ? never
        : `no children "${R}" in "${NamesOf<T> & string}"`
      : Rest extends keyof DeclaredFieldsOf<T>
        ? never
        : `no field "${Rest & string}" in "${NamesOf<T> & string}"`

/** The resource of users that `accounts` declares; `never` where there is none. */
type DeclaredUsers<A> = A extends { readonly _declaredRoles?: infer L } ? (unknown extends L ? never : A) : never
type WrongCaller<N, A> = N extends 'id' | `claims.${string}`
  ? never
  : [DeclaredUsers<A>] extends [never]
    ? never
    : N extends keyof DeclaredFieldsOf<DeclaredUsers<A>>
      ? never
      : `no field "${N & string}" of the caller`

type WrongEmbedding<E, A> = E extends `${infer T}.${infer By}`
  ? T extends NamesOf<A>
    ? By extends keyof DeclaredFieldsOf<ResourceNamed<A, T>>
      ? never
      : `no field "${By}" in "${T}"`
    : `no resource "${T}"`
  : never

/** `match` of a reference to `T`: a field of this resource, with fields `F`, and of that one. */
type WrongMatch<M, F, T> = M extends string
  ? string extends M
    ? never
    : M extends keyof F
      ? [T] extends [never]
        ? never // reported with the reference
        : M extends keyof DeclaredFieldsOf<T>
          ? never
          : `match: no field "${M}" in "${NamesOf<T> & string}"`
      : `match: no field "${M}"`
  : never

/** The roles and abilities that `accounts` declares; `never` where it declares none. */
type DeclaredRoles<A> = A extends { readonly _declaredRoles?: infer L }
  ? unknown extends L
    ? never
    : Exclude<L, undefined>
  : never
type WrongRole<L, A> = L extends `member:${infer G}:${infer M}`
  ? WrongMemberRole<G, M, A>
  : [DeclaredRoles<A>] extends [never]
    ? never
    : L extends string
      ? string extends L
        ? never // a rule of an unknown role, as programs make them
        : L extends DeclaredRoles<A>
          ? never
          : L extends AbilityWord<infer B>
            ? `no ability "${B}"`
            : `no role "${L}"`
      : never

/** The role that a role field has by default: one of users, or of the memberships that it is in. */
type WrongDefault<L, N, A> = [RolesOfMembers<N, A>] extends [never]
  ? WrongRole<L, A>
  : L extends RolesOfMembers<N, A>
    ? never
    : `no role "${L & string}"`

/** A field, or a path, that a rule of a field mentions. */
type WrongMention<M, D, A> = M extends string
  ? string extends M
    ? never // a rule of unknown fields, as programs make them
    : M extends `${'caller' | 'member'}:${string}`
      ? WrongPath<M, D, A>
      : WrongEnd<M, D, A>
  : never

type WrongField<X, D, A, N> =
  | (TargetOf<X> extends infer T extends string ? (T extends NamesOf<A> ? never : `no resource "${T}"`) : never)
  | (TraitsOf<X> extends { readonly matches: infer M }
      ? WrongMatch<M, DeclaredFieldsOf<D>, ResourceNamed<A, TargetOf<X>>>
      : never)
  | (TraitsOf<X> extends { readonly via: infer P } ? WrongPath<P, D, A> : never)
  | (TraitsOf<X> extends { readonly embeds: infer E } ? WrongEmbedding<E, A> : never)
  | (TraitsOf<X> extends { readonly roles: infer L } ? WrongRole<L, A> : never)
  | (TraitsOf<X> extends { readonly named: infer L } ? WrongDefault<L, N, A> : never)
  | (TraitsOf<X> extends { readonly mentions: infer M } ? WrongMention<M, D, A> : never)

type WrongFields<N extends string, F, D, A> = {
  [K in FieldName<F>]: WrongField<F[K], D, A, N> extends infer W extends string ? `${N}: field "${K}": ${W}` : never
}[FieldName<F>]

type WrongRules<N extends string, D, P, L, A> = WrongPath<P, D, A> | WrongRole<L, A> extends infer W extends string
  ? `${N}: access: ${W}`
  : never

/** A module of the console for a resource or a field that does not exist. */
type WrongModule<M, A> = M extends `${infer K}/${infer N}.${infer X}`
  ? N extends NamesOf<A>
    ? K extends 'actions'
      ? never
      : X extends keyof DeclaredFieldsOf<ResourceNamed<A, N>>
        ? never
        : `defineConsole: ${M}: no field "${X}" in "${N}"`
    : `defineConsole: ${M}: no resource "${N}"`
  : never

type WrongIn<D, A> =
  D extends DeclaredConsole<infer M>
    ? WrongModule<M, A>
    : D extends DeclaredTenancy<infer T, infer M>
      ? WrongTenancy<T, M, A>
      : D extends DeclaredResource<infer F, infer N, infer P, infer L>
        ? string extends N
          ? never // a declaration of an unknown name, as tests and other programs make them
          : WrongFields<N, F, D, A> | WrongRules<N, D, P, L, A>
        : never

/** Every sentence about a list of resources; `never` when there is none. */
export type ResourceListProblem<R extends readonly Declared[]> =
  string extends NamesOf<R[number]> ? never : WrongIn<R[number], R[number]>

/**
 * A list of resources without such a mistake. Otherwise the compiler says that the list lacks
 * `mistake`, and what it is. A sentence alone would have a number index, and the compiler would
 * speak of each element.
 */
export type CheckedResourceList<R extends readonly Declared[]> = [ResourceListProblem<R>] extends [never]
  ? R
  : { readonly mistake: ResourceListProblem<R> }

/**
 * Takes the resources of an application, so that the compiler checks them together. Each reference
 * must name one of them, and rules and virtual fields must read existing fields. Returns the list
 * unchanged.
 */
export function defineResources<const R extends readonly Declared[]>(resources: CheckedResourceList<R> & R): R {
  return resources
}
