/**
 * `accounts`: the one declaration of an application's users. It names their roles in order, the
 * role that operates the service, the resource of users, and the engine's tables that it wants. The
 * result is a list of declarations; this folder knows no application.
 */
import { type DeclaredResource, declarationProblems, declaringFile } from '../resource/define.ts'
import { wordsMistakes } from '../resource/fields/choice.ts'
import type { Field, Fields } from '../resource/fields/field.ts'
import {
  checkMembers,
  flag,
  isTable,
  listOfKind,
  type MemberKind,
  type MemberProblem,
  type Members,
  objectOf,
  textKind,
} from '../resource/members.ts'
import { didYouMean } from '../resource/words/nearest.ts'
import {
  type ExactExtension,
  extensionMembers,
  type TableExtension,
  type TableOption,
  tableOptionKind,
} from './extend-table.ts'
import { keyOwners } from './keys/key-owners.ts'
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

/** `L`: the roles; `U`: the resource of users; the others: the options of each table. */
export type AccountsDeclaration<
  L extends string = string,
  U extends DeclaredResource = DeclaredResource,
  S extends TableExtension = TableExtension,
  K extends TableOption = TableOption,
  F extends TableOption = TableOption,
  I extends TableOption = TableOption,
  R extends boolean = boolean,
  A extends TableOption = TableOption,
> = {
  /** In rising order: a required role means that role or a higher one. */
  readonly roles: readonly L[]
  /**
   * The role that operates the service; the last one by default. The first user has it, and may see
   * `/status`. One active user with it or a higher one always stays.
   */
  readonly operator?: NoInfer<L>
  /**
   * The resource whose records log in: `identity` marks its fields, and its role is a
   * `roleField()`. Without it the engine declares users who own keys, and whom the command line
   * makes.
   */
  readonly users?: U
  /** Changes to the table of log-ins: `{ path: '/devices' }`. Log-ins are always there. */
  readonly sessions?: S & ExactExtension<S, SessionTable<U['name']>, 'endOthers', NoInfer<L>>
  /** API keys for programs; none unless they are wanted. */
  readonly keys?: K & ExactExtension<K, KeyTable<U['name']>, 'rotate', NoInfer<L>, KeyOptions>
  /** Second factors, and the codes for the loss of one. */
  readonly factors?: F & ExactExtension<F, FactorTable<U['name']>, never, NoInfer<L>>
  /** Log-ins by other issuers: `OIDC_PROVIDERS`. */
  readonly linkedAccounts?: I & ExactExtension<I, LinkedAccountTable<U['name']>, never, NoInfer<L>>
  /** Forgotten passwords and proofs of addresses, by mail. People log in with an address then. */
  readonly recovery?: R
  /** The events of accounts: the user, the author, the address and the credential. */
  readonly audit?: A & ExactExtension<A, AuditTable<U['name']>, never, NoInfer<L>>
}

const declaredKind: MemberKind = (value, path, report) => {
  if (!isDeclared(value)) report({ path, problem: 'must be made by defineResource' })
}
const members = {
  roles: listOfKind(textKind),
  operator: textKind,
  users: declaredKind,
  sessions: objectOf(extensionMembers),
  keys: tableOptionKind({ ...extensionMembers, prefix: textKind }),
  factors: tableOptionKind(),
  linkedAccounts: tableOptionKind(),
  recovery: flag,
  audit: tableOptionKind(),
} satisfies Members<AccountsDeclaration>

function isDeclared(value: unknown): value is DeclaredResource {
  return isTable(value) && typeof value.writtenIn === 'string'
}

type CheckedAccounts = Pick<AccountsDeclaration, 'roles' | 'operator'> & { readonly users: DeclaredResource }

function* mistakesOf({ roles, operator, users: { identity, fields } }: CheckedAccounts): Generator<MemberProblem> {
  for (const { problem } of wordsMistakes(roles)) yield { path: 'roles', problem, isFormRight: true }
  if (operator !== undefined && !roles.includes(operator))
    yield { path: 'operator', problem: `no role "${operator}"${didYouMean(operator, roles)}`, isFormRight: true }
  const wrong = (problem: string): MemberProblem => ({ path: 'users', problem, isFormRight: true })
  if (identity?.kind !== 'login')
    yield wrong("must be the resource of people who log in: identity: { kind: 'login', … }")
  else if (fields[identity.role]?.takesRoles === undefined)
    yield wrong(`its role must be a roleField(), whose words are these roles: ${identity.role}: roleField()`)
}

/** The fields, with the roles as the words of those that take them. */
function filled(fields: Fields, roles: readonly string[]): Fields {
  const fill = (field: Field): Field => (field.takesRoles ? { ...field, values: roles } : field)
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fill(field)]))
}

function usersOf({ roles, operator, users }: CheckedAccounts): DeclaredResource {
  const { fields, identity } = users
  const isNamed = operator !== undefined && roles.includes(operator)
  const named = identity?.kind === 'login' && isNamed ? { ...identity, operator } : identity
  return { ...users, fields: filled(fields, roles), ...(named && { identity: named }) }
}

/** The result of `accounts`: a list of declarations, each of which has a name in it too. */
export type AccountResources<L extends string, U extends DeclaredResource, T> = readonly (
  | (U & { readonly _declaredRoles?: L })
  | Exclude<T[keyof T], undefined>
)[] & { readonly users: U & { readonly _declaredRoles?: L } } & T

/**
 * The declarations of what an application says about its people, to be listed among its resources:
 * `defineResources([books, ...accounts({ roles: ['MEMBER', 'ADMIN'], users, keys: true })])`. Each
 * has a name in what it returns: `people.users`, `people.apiKeys`. Mistakes are found when the
 * server starts.
 */
export function accounts<
  const L extends string,
  const U extends DeclaredResource = ReturnType<typeof keyOwners>,
  const S extends TableExtension = Record<never, never>,
  const K extends TableOption = false,
  const F extends TableOption = true,
  const I extends TableOption = true,
  const R extends boolean = true,
  const A extends TableOption = true,
>(said: AccountsDeclaration<L, U, S, K, F, I, R, A>): AccountResources<L, U, Tables<U['name'], S, K, F, I, R, A>> {
  const writtenIn = declaringFile()
  const mistakes: MemberProblem[] = []
  const report = (mistake: MemberProblem) => mistakes.push(mistake)
  checkMembers(said, members, { path: '', report, needed: ['roles'] })
  const isWhole = mistakes.every(({ isFormRight }) => isFormRight)
  // A declaration of a wrong form is looked at no further.
  const { roles, operator, ...wanted } = isWhole ? (said as AccountsDeclaration) : { roles: [] }
  const own = isDeclared(said?.users) ? said.users : { ...keyOwners(roles[0] ?? ''), writtenIn }
  const checked = { roles, operator, users: own }
  if (isWhole) mistakes.push(...mistakesOf(checked))
  const made = tablesOf(wanted as TableOptions, own.name, operator ?? roles.at(-1) ?? '')
  mistakes.push(...made.mistakes)
  const lines = mistakes.map(({ path, problem }) => `${writtenIn}: accounts: ${path && `${path}: `}${problem}`)
  const users = { ...usersOf(checked), [declarationProblems]: lines }
  const tables = Object.entries(made.tables).map(([name, one]) => [name, one && { ...one, writtenIn }] as const)
  const list = [users, ...tables.map(([, one]) => one)].filter((one) => one !== undefined)
  return Object.assign(list, { users, ...Object.fromEntries(tables) }) as never
}
