/**
 * `accounts`: the one declaration of an application's users. It names their roles, the role that
 * operates the service, the resource of users, and the engine's tables that it wants. The result is
 * a list of declarations; this folder knows no application.
 */
import { declaringPlace } from '../base/declaring-place.ts'
import {
  type AccountEffect,
  type AccountHooks,
  accountEffectKind,
  accountHooksKind,
} from '../resource/accounts/account-code.ts'
import { refusedLogInEvent } from '../resource/accounts/audit-events.ts'
import type { AccountCode } from '../resource/accounts/kept-account-code.ts'
import { type DeclaredResource, declarationProblems } from '../resource/define.ts'
import type { Field, Fields } from '../resource/fields/field.ts'
import {
  checkMembers,
  flag,
  isTable,
  type MemberKind,
  type MemberProblem,
  type Members,
  objectOf,
  tableOf,
  textKind,
} from '../resource/members.ts'
import {
  isOrder,
  makeRoles,
  type RoleOf,
  type RolesDeclaration,
  type RuleWord,
  roleNamesOf,
} from '../resource/rules/role-order.ts'
import { type CallerHas, makeCallerHas } from './caller-has.ts'
import { codeMistakes } from './code/code-mistakes.ts'
import {
  type ExactExtension,
  extensionMembers,
  type TableExtension,
  type TableOption,
  tableOptionKind,
} from './extend-table.ts'
import { keyOwners } from './keys/key-owners.ts'
import { roleMistakes, rolesKind } from './role-mistakes.ts'
import {
  type AuditTable,
  type FactorTable,
  type KeyTable,
  type LinkedAccountTable,
  type SessionTable,
  type TableOptions,
  type Tables,
  tablesOf,
} from './tables.ts'

type KeyOptions = {
  /** Every key begins with this; `bk_` unless said. */
  readonly prefix?: string
}

/** `G`: the roles; `U`: the resource of users; the others: the options of each table. */
export type AccountsDeclaration<
  G extends RolesDeclaration = RolesDeclaration,
  U extends DeclaredResource = DeclaredResource,
  S extends TableExtension = TableExtension,
  K extends TableOption = TableOption,
  F extends TableOption = TableOption,
  I extends TableOption = TableOption,
  R extends boolean = boolean,
  A extends TableOption = TableOption,
> = {
  /**
   * In rising order: a required role means that role or a higher one. Or the abilities of each,
   * `{ TREASURER: ['fees:write'] }`: a required role means all of its abilities.
   */
  readonly roles: G
  /**
   * The role that operates the service; the last one by default, and needed where roles have no
   * order. The first user has it, and may see `/status`. One active user with it, a higher one or
   * all of its abilities always stays.
   */
  readonly operator?: NoInfer<RoleOf<G>>
  /**
   * The resource whose records log in: `identity` marks its fields, and its role is a
   * `roleField()`. Without it the engine declares users who own keys, and whom the command line
   * makes.
   */
  readonly users?: U
  /** Changes to the table of log-ins: `{ path: '/devices' }`. Log-ins are always there. */
  readonly sessions?: S & ExactExtension<S, SessionTable<U['name']>, 'endOthers', NoInfer<RuleWord<G>>>
  /** API keys for programs; none unless they are wanted. */
  readonly keys?: K & ExactExtension<K, KeyTable<U['name']>, 'rotate', NoInfer<RuleWord<G>>, KeyOptions>
  /** Second factors, and the codes for the loss of one. */
  readonly factors?: F & ExactExtension<F, FactorTable<U['name']>, never, NoInfer<RuleWord<G>>>
  /** Log-ins by other issuers: `OIDC_PROVIDERS`. */
  readonly linkedAccounts?: I & ExactExtension<I, LinkedAccountTable<U['name']>, never, NoInfer<RuleWord<G>>>
  /** Forgotten passwords and proofs of addresses, by mail. People log in with an address then. */
  readonly recovery?: R
  /**
   * Operators erase a record with every copy of its values by `POST /_erasures` and in the console,
   * as `bindery erase` does. An erasure has no way back, so it is off by default.
   */
  readonly erasure?: boolean
  /** The events of accounts: the user, the author, the address and the credential. */
  readonly audit?: A & ExactExtension<A, AuditTable<U['name']>, never, NoInfer<RuleWord<G>>>
  /**
   * Code that runs before an account is made or a session begins, whichever way: `{ beforeLogIn: ({
   * way, user, refuse }) => … }`. It may refuse.
   */
  readonly hooks?: AccountHooks<NoInfer<U>['fields']>
  /**
   * Name → work that follows an event of an account after its commit: `{ greet: { on: ['signedUp'],
   * run: ({ record, way }) => … } }`. It is stored with the event, and retried until it succeeds.
   */
  readonly effects?: Readonly<Record<string, AccountEffect<NoInfer<U>['fields']>>>
}

const declaredKind: MemberKind = (value, path, report) => {
  if (!isDeclared(value)) report({ path, problem: 'must be made by defineResource' })
}
const members = {
  roles: rolesKind,
  operator: textKind,
  users: declaredKind,
  sessions: objectOf(extensionMembers),
  keys: tableOptionKind({ ...extensionMembers, prefix: textKind }),
  factors: tableOptionKind(),
  linkedAccounts: tableOptionKind(),
  recovery: flag,
  erasure: flag,
  audit: tableOptionKind(),
  hooks: accountHooksKind,
  effects: tableOf(accountEffectKind),
} satisfies Members<AccountsDeclaration>

function isDeclared(value: unknown): value is DeclaredResource {
  return isTable(value) && typeof value.writtenIn === 'string'
}

/** Without an order the roles do not tell which one operates the service. */
type NeededOperator<G> = G extends readonly string[] ? unknown : { readonly operator: NoInfer<RoleOf<G>> }

type CheckedAccounts = Pick<AccountsDeclaration, 'roles' | 'operator' | 'erasure'> & {
  readonly users: DeclaredResource
  readonly code: AccountCode
}

function* mistakesOf({ roles, operator, users, code }: CheckedAccounts): Generator<MemberProblem> {
  const { identity, fields } = users
  yield* roleMistakes(roles, operator)
  yield* codeMistakes(code.effects, users)
  const wrong = (problem: string): MemberProblem => ({ path: 'users', problem, isFormRight: true })
  if (identity?.kind !== 'login')
    yield wrong("must be the resource of people who log in: identity: { kind: 'login', … }")
  else if (fields[identity.role]?.takesRoles === undefined)
    yield wrong(`its role must be a roleField(), whose words are these roles: ${identity.role}: roleField()`)
}

/** The fields, with the roles as the words of those that take them. */
function filled(fields: Fields, roles: RolesDeclaration): Fields {
  const words = { values: roleNamesOf(roles), ...(!isOrder(roles) && { abilities: roles }) }
  const fill = (field: Field): Field => (field.takesRoles ? { ...field, ...words } : field)
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fill(field)]))
}

function usersOf({ roles, operator, erasure, users, code }: CheckedAccounts): DeclaredResource {
  const { fields, identity } = users
  const isNamed = operator !== undefined && roleNamesOf(roles).includes(operator)
  const hasCode = [code.hooks, code.effects].some((one) => Object.keys(one).length > 0)
  const added = { ...(isNamed && { operator }), ...(erasure && { erasure }), ...(hasCode && { code }) }
  const named = identity?.kind === 'login' ? { ...identity, ...added } : identity
  return { ...users, fields: filled(fields, roles), ...(named && { identity: named }) }
}

/**
 * The result of `accounts`: a list of declarations, each of which has a name in it too. `has`: for
 * actions and hooks, whether their caller has an ability, or reaches a role. `L`: the words that
 * rules may name.
 */
export type AccountResources<L extends string, U extends DeclaredResource, T> = readonly (
  | (U & { readonly _declaredRoles?: L })
  | Exclude<T[keyof T], undefined>
)[] & { readonly users: U & { readonly _declaredRoles?: L }; readonly has: CallerHas<L> } & T

/**
 * The declarations of what an application says about its people, to be listed among its resources:
 * `defineResources([books, ...accounts({ roles: ['MEMBER', 'ADMIN'], users, keys: true })])`. Each
 * has a name in what it returns: `people.users`, `people.apiKeys`. Roles without an order are sets
 * of abilities: `roles: { COACH: ['teams:write'], BOARD: ['teams:write', 'fees:write'] }, operator:
 * 'BOARD'`. Actions and hooks ask `people.has(caller, 'fees:write')`. Mistakes are found when the
 * server starts.
 */
export function accounts<
  const G extends RolesDeclaration,
  const U extends DeclaredResource = ReturnType<typeof keyOwners>,
  const S extends TableExtension = Record<never, never>,
  const K extends TableOption = false,
  const F extends TableOption = true,
  const I extends TableOption = true,
  const R extends boolean = true,
  const A extends TableOption = true,
>(
  said: AccountsDeclaration<G, U, S, K, F, I, R, A> & NeededOperator<G>,
): AccountResources<RuleWord<G>, U, Tables<U['name'], S, K, F, I, R, A>> {
  const place = declaringPlace()
  const mistakes: MemberProblem[] = []
  const report = (mistake: MemberProblem) => mistakes.push(mistake)
  checkMembers(said, members, { path: '', report, needed: ['roles'] })
  const isWhole = mistakes.every(({ isFormRight }) => isFormRight)
  // A declaration of a wrong form is looked at no further.
  const {
    roles,
    operator,
    erasure,
    hooks = {},
    effects = {},
    ...wanted
  } = isWhole ? (said as AccountsDeclaration) : { roles: [] }
  const order = makeRoles(roles, operator)
  const { names, lowest } = order
  const own = isDeclared(said?.users) ? said.users : { ...keyOwners(lowest), ...place }
  const code = { ...place, hooks, effects }
  const checked = { roles, operator, erasure, users: own, code }
  if (isWhole) mistakes.push(...mistakesOf(checked))
  const made = tablesOf(
    { ...(wanted as TableOptions), auditEvents: hooks.beforeLogIn && [refusedLogInEvent] },
    own.name,
    operator ?? names.at(-1) ?? '',
  )
  mistakes.push(...made.mistakes)
  const lines = mistakes.map(({ path, problem }) => `${place.writtenIn}: accounts: ${path && `${path}: `}${problem}`)
  const users = { ...usersOf(checked), [declarationProblems]: lines }
  const tables = Object.entries(made.tables).map(([name, one]) => [name, one && { ...one, ...place }] as const)
  const list = [users, ...tables.map(([, one]) => one)].filter((one) => one !== undefined)
  return Object.assign(list, { users, has: makeCallerHas(order), ...Object.fromEntries(tables) }) as never
}
