/**
 * Accounts: what an application says once about the people who use it. It names their roles in
 * order, which of these operates the service, and the resource of users. It makes declarations
 * from that; the room knows no application.
 */
import { type Declared, declaringFile, faults } from '../resource/define.ts'
import { wordsMistakes } from '../resource/fields/choice.ts'
import type { Field, Fields } from '../resource/fields/field.ts'
import { id } from '../resource/fields/id.ts'
import { checkMembers, isTable, type Kind, listOfKind, type Members, type Mistake, word } from '../resource/members.ts'
import { meantOf } from '../resource/words/nearest.ts'

/** `L`: the roles; `U`: the resource of users. */
export type Accounts<L extends string = string, U extends Declared = Declared> = {
  /** In rising order: a required role means that role or a higher one. */
  readonly roles: readonly L[]
  /**
   * The role that operates the service, the last one unless another is said. The first user has
   * it, one active user with it or a higher one always stays, and it may see `/status`.
   */
  readonly operator?: NoInfer<L>
  /** The resource whose records log in: `identity` marks its fields, and its role is a `roleField()`. */
  readonly users: U
}

const declaredKind: Kind = (value, path, report) => {
  if (!isDeclared(value)) report({ path, problem: 'must be made by defineResource' })
}
const members = { roles: listOfKind(word), operator: word, users: declaredKind } satisfies Members<Accounts>

function isDeclared(value: unknown): value is Declared {
  return isTable(value) && typeof value.writtenIn === 'string'
}

function* mistakesOf({ roles, operator, users: { identity, fields } }: Accounts): Generator<Mistake> {
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

function usersOf({ roles, operator, users }: Accounts): Declared {
  const { fields, identity } = users
  const isNamed = operator !== undefined && roles.includes(operator)
  const named = identity?.kind === 'login' && isNamed ? { ...identity, operator } : identity
  return { ...users, fields: filled(fields, roles), ...(named && { identity: named }) }
}

/**
 * The declarations of what an application says about its people, to be listed among its resources:
 * `defineResources([books, ...accounts({ roles: ['MEMBER', 'ADMIN'], users })])`. Mistakes are
 * found when the server starts.
 */
export function accounts<const L extends string, const U extends Declared>(
  said: Accounts<L, U>,
): readonly [U & { readonly _declaredRoles?: L }] {
  const writtenIn = declaringFile()
  const mistakes: Mistake[] = []
  const report = (mistake: Mistake) => mistakes.push(mistake)
  checkMembers(said, members, { path: '', report, needed: ['roles', 'users'] })
  const isWhole = mistakes.every(({ isFormRight }) => isFormRight)
  if (isWhole) mistakes.push(...mistakesOf(said))
  const lines = mistakes.map(({ path, problem }) => `${writtenIn}: accounts: ${path && `${path}: `}${problem}`)
  // What is of a wrong form is looked at no further.
  const users = isDeclared(said?.users) ? said.users : { name: 'users', fields: { id: id() }, access: {}, writtenIn }
  const made = usersOf(isWhole ? said : { roles: [], users })
  return [{ ...made, [faults]: lines } as unknown as U]
}
