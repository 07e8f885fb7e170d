/**
 * The rule `member`: callers pass who are members of the record's tenant, or of a group that the
 * record names. It compiles to the ids of the caller's tenants, so it needs no join. Where the
 * request names a tenant, only memberships in that one count.
 */
import { all, always, type Condition, equal, never, not, type Scalar } from '../condition.ts'
import { checkMembers, type Members, printValue, textKind } from '../members.ts'
import type { CallerMembership } from '../principal.ts'
import {
  isAboutRecord,
  type JudgedResource,
  type Rule,
  type RuleCheck,
  type RuleInput,
  type RuleScope,
  type RuleType,
  simpleRule,
} from '../rule.ts'
import { inSentence } from '../words/names.ts'
import { didYouMean, findMeant } from '../words/nearest.ts'
import { fieldsOnPath } from './fields-on-path.ts'
import { referencesTo, tenantPathOf } from './tenant-path.ts'
import { declaredMembers, type MembersDeclaration, tenantNames } from './tenant-words.ts'

type MemberOptions = {
  /** The resource of groups: `team`. By default it is the tenant of the record. */
  readonly of?: string
  /** The reference of the record to the group, where there are several. */
  readonly by?: string
}
type GroupOf<O> = O extends { readonly of: infer G extends string } ? G : ''
type ReferenceOf<O> = O extends { readonly by: infer K extends string } ? K : never
/** Options that there are not, which must be absent. */
type ExactOptions<O> = { readonly [N in Exclude<keyof O, keyof MemberOptions>]: never }
type MemberRule<K extends string = string, L extends string = string> = Rule<K, never, L> & {
  readonly role: string | undefined
  readonly options: MemberOptions
}

const members = { of: textKind, by: textKind } satisfies Members<MemberOptions>

/** The resource of tenants or groups, and the references of a record that lead to its own. */
type MemberPlace = { readonly of: string; readonly path: readonly string[] }

function placeOf({ options: { of, by } }: MemberRule, { name, fields, tenant }: JudgedResource): MemberPlace {
  if (of === undefined) return { of: tenant?.tenancy ?? '', path: tenant?.path ?? [] }
  if (of === name) return { of, path: [] }
  return { of, path: [by ?? (referencesTo({ fields }, of)[0] as string)] }
}

/** Records whose way leads to these tenants or groups. */
function among(scope: RuleScope, path: readonly string[], where: (field: string) => Condition): Condition {
  const { resource, catalog } = scope
  const [field, ...rest] = path
  if (field === undefined) return where(resource.idField)
  if (rest.length === 0) return where(field)
  const target = catalog.get(resource.fields[field]?.reference?.resource ?? '')
  return { kind: 'related', field, resource: target.name, where: among({ ...scope, resource: target }, rest, where) }
}

/** The memberships of the caller that count in this request. */
function countedIn(of: string, { principal, catalog }: RuleInput): readonly CallerMembership[] {
  const held = principal.kind === 'user' ? (principal.memberships?.[of] ?? []) : []
  const { tenant: named } = principal
  if (!named || catalog.get(of).tenant?.tenancy !== named.name) return held
  return held.filter(({ id, tenant = id }) => tenant === named.id)
}

/** The tenants or groups in which the caller has the role or a higher one. */
function heldIds({ role }: MemberRule, of: string, asked: RuleInput): readonly Scalar[] {
  const roles = asked.catalog.memberTables.get(of)?.roles
  const held = countedIn(of, asked)
  return held.filter((one) => role === undefined || roles?.reaches(one.role, role)).map(({ id }) => id)
}

/**
 * A list of none is no refusal: to a user without memberships, lists are empty, as they are to the
 * owner of nothing.
 */
function oneOfIds(field: string, values: readonly Scalar[]): Condition {
  return values.length === 1 ? equal(field, values[0] as Scalar) : { kind: 'in', field, values }
}

/** The members table that a rule means in a declaration; a problem where there is none. */
function findMembers(
  { options: { of, by } }: MemberRule,
  { declared, byName, tenancies }: RuleCheck,
): MembersDeclaration | { readonly problem: string } {
  const tables = tenancies.flatMap(declaredMembers)
  if (of === undefined) {
    const found = tenantPathOf(declared, { byName, tenants: tenantNames(tenancies) })
    const table = found && 'tenancy' in found ? tables.find((one) => one.of === found.tenancy) : undefined
    return (
      table?.said ?? { problem: `"${declared.name}" has no tenant: say tenant: '…', the reference that leads to it` }
    )
  }
  const table = tables.find((one) => one.of === of)
  const names = tables.map((one) => one.of)
  if (!table) return { problem: `of: no members of ${printValue(of)} are declared${didYouMean(of, names)}` }
  const references = referencesTo(declared, of)
  if (by !== undefined && !references.includes(by))
    return { problem: `by: ${printValue(by)} is no stored reference to "${of}"${findMeant(by, references)}` }
  if (of === declared.name || by !== undefined || references.length === 1) return table.said
  if (references.length === 0) return { problem: `of: "${declared.name}" has no reference to "${of}"` }
  return { problem: `more than one reference leads to "${of}": say by, one of ${references.join(', ')}` }
}

const memberType: RuleType<MemberRule> = {
  ...simpleRule,
  where(rule, asked) {
    if (asked.principal.kind === 'user' && asked.principal.via === 'console') return always
    if (asked.principal.kind === 'anonymous') return never
    const { of, path } = placeOf(rule, asked.resource)
    const ids = heldIds(rule, of, asked)
    return among(asked, path, (field) => oneOfIds(field, ids))
  },
  whereNot(rule, asked) {
    if (asked.principal.kind !== 'user' || asked.principal.via === 'console') return never
    const { of, path } = placeOf(rule, asked.resource)
    const ids = heldIds(rule, of, asked)
    // A record without a tenant or group is in neither part.
    return among(asked, path, (field) => all({ kind: 'null', field, isNull: false }, not(oneOfIds(field, ids))))
  },
  judgesBy: (rule, { resource }) => [`members:${placeOf(rule, resource).of}`, 'tenant'],
  judgedFields: (rule, { catalog, resource }) => fieldsOnPath(catalog, resource, placeOf(rule, resource).path),
  inDocument({ role, options: { of } }, { catalog }) {
    const whose =
      of === undefined ? 'the tenant of the record' : `the ${inSentence(catalog.get(of).label)} of the record`
    return role === undefined ? `a member of ${whose}` : `a member of ${whose} with role ${role} or higher`
  },
  inTable(rule, { catalog, resource }) {
    const { of, path } = placeOf(rule, resource)
    const label = inSentence(catalog.get(of).label)
    return `${rule.role ?? 'member'} of ${path.length === 0 ? 'that' : 'its'} ${label}`
  },
  check(rule, check) {
    const { role, options } = rule
    const at = `member(${role === undefined ? '' : printValue(role)})`
    checkMembers(options, members, {
      path: '',
      report: ({ path, problem }) => check.report(`${at}: ${path === '' ? '' : `${path}: `}${problem}`),
      areOptions: true,
    })
    if (!check.takesMembers && !isAboutRecord(at, check)) return
    const found = findMembers(rule, check)
    if ('problem' in found) return check.report(`${at}: ${found.problem}`)
    if (role !== undefined && !found.roles.includes(role))
      check.report(`${at}: no such role${didYouMean(String(role), found.roles)}`)
  },
}

/**
 * Members of the record's tenant, or those with this role or a higher one there: `member()`,
 * `member('COACH')`. `member('COACH', { of: 'team' })` is about the group that the record names.
 * The roles and their order are those of `defineTenancy`.
 */
export function member<const L extends string = '', const O extends MemberOptions = Record<never, never>>(
  role?: L,
  options?: O & ExactOptions<O>,
): Rule<ReferenceOf<O>, never, `member:${GroupOf<O>}:${L}`> {
  const rule: MemberRule<ReferenceOf<O>, `member:${GroupOf<O>}:${L}`> = {
    type: memberType,
    role,
    options: options ?? {},
  }
  return rule
}
