/**
 * `defineTenancy`: the resource whose records are tenants, the memberships of users in them, and
 * the roles of memberships in order. It is listed among the resources of an application.
 */
import { declaringPlace } from '../../base/declaring-place.ts'
import type { DeclaredResource } from '../define.ts'
import type { DeclaredConsole } from '../display/define-console.ts'
import {
  checkMembers,
  isTable,
  listOfKind,
  type MemberKind,
  type MemberProblem,
  type Members,
  printValue,
  textKind,
} from '../members.ts'
import type { DeclaredPart } from '../parts/application-part.ts'
import { type Rule, ruleKind } from '../rule.ts'
import type { MembersDeclaration } from './tenant-words.ts'

export type TenancyDeclaration = MembersDeclaration & {
  /**
   * The callers above all tenants: they reach each of them without a membership. None unless it is
   * said.
   */
  readonly operator?: Rule<never, never>
  /**
   * The callers who invite people by their address: `invitations: member('COACH')`. The engine
   * declares the resource of invitations, `/club-invitations`, which these callers list, make and
   * withdraw. Without it there are none.
   */
  readonly invitations?: Rule<never, never>
  /**
   * Resource → its memberships, for groups within a tenant: `{ team: { members: 'teamMember', … }
   * }`.
   */
  readonly groups?: Readonly<Record<string, MembersDeclaration>>
}

const memberMembers = {
  members: textKind,
  user: textKind,
  role: textKind,
  roles: listOfKind(textKind),
  status: textKind,
  activeStatus: textKind,
} satisfies Members<MembersDeclaration>
const needed = ['members', 'user', 'role', 'roles'] as const satisfies readonly (keyof MembersDeclaration)[]

const groupsKind: MemberKind = (value, path, report) => {
  if (!isTable(value)) return report({ path, problem: `must be an object, and is ${printValue(value)}` })
  for (const [name, one] of Object.entries(value))
    checkMembers(one, memberMembers, { path: `${path}.${name}`, report, needed })
}
const tenancyMembers = {
  ...memberMembers,
  operator: ruleKind,
  invitations: ruleKind,
  groups: groupsKind,
} satisfies Members<TenancyDeclaration>

/** Members that there are not, which must be absent. */
type UnknownMembers<X, K> = { readonly [N in Exclude<keyof X, K>]: never }
type GroupsOf<D> = D extends { readonly groups: infer G } ? G : Record<never, never>
type ExactTenancy<D> = UnknownMembers<D, keyof TenancyDeclaration> & {
  readonly groups?: { readonly [G in keyof GroupsOf<D>]: UnknownMembers<GroupsOf<D>[G], keyof MembersDeclaration> }
}

/** A tenancy as an application lists it. `N`: the resource of tenants; `D`: its declaration. */
export type DeclaredTenancy<N extends string = string, D extends TenancyDeclaration = TenancyDeclaration> = {
  readonly tenancyOf: N
  readonly declaration: D
  readonly writtenIn: string
  readonly writtenAt: string
}

/** An element of the list of an application. */
export type Declared = DeclaredResource | DeclaredTenancy | DeclaredConsole | DeclaredPart

/** Whether an element of the list was made by `defineTenancy`. */
export function isTenancy(value: unknown): value is DeclaredTenancy {
  return isTable(value) && Object.hasOwn(value, 'tenancyOf') && typeof value.writtenIn === 'string'
}

/** The mistakes in the form of a tenancy. */
export function findTenancyFormMistakes({ tenancyOf, declaration }: DeclaredTenancy): MemberProblem[] {
  const mistakes: MemberProblem[] = []
  const report = (mistake: MemberProblem) => mistakes.push(mistake)
  if (typeof tenancyOf !== 'string')
    report({
      path: '',
      problem: `is given the name of the resource of tenants first, and not ${printValue(tenancyOf)}`,
    })
  checkMembers(declaration, tenancyMembers, { path: '', report, needed })
  return mistakes
}

/**
 * Declares the tenants of an application, which are records of the resource with this name, and the
 * memberships in them: `defineTenancy('club', { members: 'membership', user: 'userId', role:
 * 'role', roles: ['PLAYER', 'COACH', 'OWNER'] })`. Resources that belong to tenants say so:
 * `tenant: 'clubId'`. Mistakes are found when the server starts.
 */
export function defineTenancy<const N extends string, const D extends TenancyDeclaration>(
  tenant: N,
  declaration: D & ExactTenancy<D>,
): DeclaredTenancy<N, D> {
  return { tenancyOf: tenant, declaration, ...declaringPlace() }
}
