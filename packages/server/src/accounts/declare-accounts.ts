/**
 * Accounts: what an application says once about the people who use it. It names their roles in
 * order, which of these operates the service, the resource of users, and which of the engine's own
 * tables it wants. It makes declarations from that; the room knows no application.
 */
import { type Declared, declaringFile, faults } from '../resource/define.ts'
import { wordsMistakes } from '../resource/fields/choice.ts'
import type { Field, Fields } from '../resource/fields/field.ts'
import {
  checkMembers,
  flag,
  isTable,
  type Kind,
  listOfKind,
  type Members,
  type Mistake,
  objectOf,
  word,
} from '../resource/members.ts'
import { meantOf } from '../resource/words/nearest.ts'
import { type Exact, type Extension, extensionMembers, type Wanted, wantedKind } from './extend-table.ts'
import { keyOwners } from './keys/key-owners.ts'
import {
  type AuditTable,
  type FactorTable,
  type KeyTable,
  type LinkedAccountTable,
  type Said,
  type SessionTable,
  type Tables,
  tablesOf,
} from './tables.ts'

type KeyOptions = {
  /** Every key begins with this; `bk_` unless said. */
  readonly prefix?: string
}

/** `L`: the roles; `U`: the resource of users; the others: what is wanted of each table. */
export type Accounts<
  L extends string = string,
  U extends Declared = Declared,
  S extends Extension = Extension,
  K extends Wanted = Wanted,
  F extends Wanted = Wanted,
  I extends Wanted = Wanted,
  R extends boolean = boolean,
  A extends Wanted = Wanted,
> = {
  /** In rising order: a required role means that role or a higher one. */
  readonly roles: readonly L[]
  /**
   * The role that operates the service, the last one unless another is said. The first user has
   * it, one active user with it or a higher one always stays, and it may see `/status`.
   */
  readonly operator?: NoInfer<L>
  /**
   * The resource whose records log in: `identity` marks its fields, and its role is a
   * `roleField()`. Without it the engine declares users whom keys belong to, and whom the command
   * line makes.
   */
  readonly users?: U
  /** Changes to the table of log-ins: `{ path: '/devices' }`. Log-ins are always there. */
  readonly sessions?: S & Exact<S, SessionTable<U['name']>, 'endOthers', NoInfer<L>>
  /** API keys for programs; none unless they are wanted. */
  readonly keys?: K & Exact<K, KeyTable<U['name']>, 'rotate', NoInfer<L>, KeyOptions>
  /** Second factors, and the codes for the loss of one. */
  readonly factors?: F & Exact<F, FactorTable<U['name']>, never, NoInfer<L>>
  /** Log-ins by other issuers: `OIDC_PROVIDERS`. */
  readonly linkedAccounts?: I & Exact<I, LinkedAccountTable<U['name']>, never, NoInfer<L>>
  /** Forgotten passwords and proofs of addresses, by mail. People log in with an address then. */
  readonly recovery?: R
  /** The events of accounts: who, whose, from where, by which credential. */
  readonly audit?: A & Exact<A, AuditTable<U['name']>, never, NoInfer<L>>
}

const declaredKind: Kind = (value, path, report) => {
  if (!isDeclared(value)) report({ path, problem: 'must be made by defineResource' })
}
const members = {
  roles: listOfKind(word),
  operator: word,
  users: declaredKind,
  sessions: objectOf(extensionMembers),
  keys: wantedKind({ ...extensionMembers, prefix: word }),
  factors: wantedKind(),
  linkedAccounts: wantedKind(),
  recovery: flag,
  audit: wantedKind(),
} satisfies Members<Accounts>

function isDeclared(value: unknown): value is Declared {
  return isTable(value) && typeof value.writtenIn === 'string'
}

type Checked = Pick<Accounts, 'roles' | 'operator'> & { readonly users: Declared }

function* mistakesOf({ roles, operator, users: { identity, fields } }: Checked): Generator<Mistake> {
  for (const { problem } of wordsMistakes(roles)) yield { path: 'roles', problem, isFormRight: true }
  if (operator !== undefined && !roles.includes(operator))
    yield { path: 'operator', problem: `no role "${operator}"${meantOf(operator, roles)}`, isFormRight: true }
  const wrong = (problem: string): Mistake => ({ path: 'users', problem, isFormRight: true })
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

function usersOf({ roles, operator, users }: Checked): Declared {
  const { fields, identity } = users
  const isNamed = operator !== undefined && roles.includes(operator)
  const named = identity?.kind === 'login' && isNamed ? { ...identity, operator } : identity
  return { ...users, fields: filled(fields, roles), ...(named && { identity: named }) }
}

/** The result of `accounts`: a list of declarations, each of which has a name in it too. */
export type People<L extends string, U extends Declared, T> = readonly (
  | (U & { readonly _declaredRoles?: L })
  | Exclude<T[keyof T], undefined>
)[] & { readonly users: U & { readonly _declaredRoles?: L } } & T

/**
 * The declarations of what an application says about its people, to be listed among its resources:
 * `defineResources([books, ...accounts({ roles: ['MEMBER', 'ADMIN'], users, keys: true })])`. Each has a
 * name in what it returns: `people.users`, `people.apiKeys`. Mistakes are found when the server
 * starts.
 */
export function accounts<
  const L extends string,
  const U extends Declared = ReturnType<typeof keyOwners>,
  const S extends Extension = Record<never, never>,
  const K extends Wanted = false,
  const F extends Wanted = true,
  const I extends Wanted = true,
  const R extends boolean = true,
  const A extends Wanted = true,
>(said: Accounts<L, U, S, K, F, I, R, A>): People<L, U, Tables<U['name'], S, K, F, I, R, A>> {
  const writtenIn = declaringFile()
  const mistakes: Mistake[] = []
  const report = (mistake: Mistake) => mistakes.push(mistake)
  checkMembers(said, members, { path: '', report, needed: ['roles'] })
  const isWhole = mistakes.every(({ isFormRight }) => isFormRight)
  // A declaration of a wrong form is looked at no further.
  const { roles, operator, ...wanted } = isWhole ? (said as Accounts) : { roles: [] }
  const own = isDeclared(said?.users) ? said.users : { ...keyOwners(roles[0] ?? ''), writtenIn }
  const checked = { roles, operator, users: own }
  if (isWhole) mistakes.push(...mistakesOf(checked))
  const made = tablesOf(wanted as Said, own.name, operator ?? roles.at(-1) ?? '')
  mistakes.push(...made.mistakes)
  const lines = mistakes.map(({ path, problem }) => `${writtenIn}: accounts: ${path && `${path}: `}${problem}`)
  const users = { ...usersOf(checked), [faults]: lines }
  const tables = Object.entries(made.tables).map(([name, one]) => [name, one && { ...one, writtenIn }] as const)
  const list = [users, ...tables.map(([, one]) => one)].filter((one) => one !== undefined)
  return Object.assign(list, { users, ...Object.fromEntries(tables) }) as never
}
