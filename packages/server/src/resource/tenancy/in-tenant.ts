/**
 * The rule that bounds the records of a tenant's resource: those of the caller's own tenants. No
 * declaration names it. The catalog adds it to every rule of such a resource (`within`), and by it
 * decides which records exist.
 */
import { isDeepStrictEqual } from 'node:util'
import { type CallerFact, type JudgedPrincipal, uniteFacts } from '../caller-facts.ts'
import { all, always, any, type Condition, equal, never, not, type Scalar } from '../condition.ts'
import { factsOf } from '../operation-kind.ts'
import { type Rule, type RuleInput, type RuleType, simpleRule } from '../rule.ts'
import { anyone } from '../rules/anyone.ts'
import { operator } from '../rules/operator.ts'
import { inSentence, withArticle } from '../words/names.ts'
import { fieldsOnPath } from './fields-on-path.ts'

/** A reference on the way to a tenant, and the resource whose records it names. */
export type TenantStep = { readonly field: string; readonly resource: string }

export type TenantScope = {
  /** The resource of tenants. */
  readonly tenancy: string
  /** References that lead to a record which names its tenant by `field`. */
  readonly via: readonly TenantStep[]
  readonly field: string
  /** The callers above all tenants. */
  readonly operator: Rule | undefined
  /** Whether other callers read the records too, in the tenant that the request names. */
  readonly isPublic: boolean
  /** Whether records may have no tenant. Operators reach those, in requests that name none. */
  readonly mayLackTenant: boolean
}

type InTenantRule = Rule & { readonly scope: TenantScope }
type WithinRule = Rule & { readonly scope: InTenantRule; readonly rule: Rule }

/** The records that lead to a record with this condition on its tenant. */
export function leadingTo({ via }: Pick<TenantScope, 'via'>, where: Condition): Condition {
  return via.reduceRight<Condition>(
    (inner, { field, resource }) => ({ kind: 'related', field, resource, where: inner }),
    where,
  )
}

/** The records of one tenant. */
export function ofTenant(scope: Pick<TenantScope, 'via' | 'field'>, id: Scalar): Condition {
  return leadingTo(scope, equal(scope.field, id))
}

/** The ids of the tenants that the caller is a member of. */
export function memberTenants(principal: JudgedPrincipal, tenancy: string): readonly Scalar[] {
  return principal.kind === 'user' ? (principal.memberships?.[tenancy] ?? []).map(({ id }) => id) : []
}

/** Whether the caller stands above all tenants. */
export function isAboveTenants({ operator: above }: Pick<TenantScope, 'operator'>, asked: RuleInput): boolean {
  if (asked.principal.kind === 'user' && asked.principal.via === 'console') return true
  return above !== undefined && above.type.where(above, asked).kind === 'true'
}

/** The tenant that the request names, where it is one of this tenancy. */
function namedTenant({ tenant }: JudgedPrincipal, tenancy: string): Scalar | undefined {
  return tenant?.name === tenancy ? tenant.id : undefined
}

/** A caller without memberships is no anonymous one: its lists are empty, and not refused. */
function among(field: string, ids: readonly Scalar[]): Condition {
  return ids.length === 1 ? equal(field, ids[0] as Scalar) : { kind: 'in', field, values: ids }
}

/** The tenants whose records exist for the caller; undefined for those of every tenant. */
function tenantsOf({ scope }: InTenantRule, asked: RuleInput): readonly Scalar[] | undefined {
  const { tenancy } = scope
  const named = namedTenant(asked.principal, tenancy)
  if (isAboveTenants(scope, asked) || (scope.isPublic && named !== undefined))
    return named === undefined ? undefined : [named]
  const own = memberTenants(asked.principal, tenancy)
  return named === undefined ? own : own.filter((id) => id === named)
}

/** Whether the records of no tenant exist for the caller. */
function reachesNone({ mayLackTenant, tenancy }: TenantScope, asked: RuleInput): boolean {
  if (!mayLackTenant || namedTenant(asked.principal, tenancy) !== undefined) return false
  return operator.type.where(operator, asked).kind === 'true'
}

/** Of these tenants alone, or of the others alone. */
function boundedTo(rule: InTenantRule, asked: RuleInput, isOther: boolean): Condition {
  const { scope } = rule
  const tenants = tenantsOf(rule, asked)
  if (tenants === undefined) return isOther ? never : always
  const isStranger = asked.principal.kind === 'anonymous' && tenants.length === 0
  if (isStranger) return never
  const own = among(scope.field, tenants)
  const isNone = (isNull: boolean): Condition => ({ kind: 'null', field: scope.field, isNull })
  if (isOther) return leadingTo(scope, all(isNone(false), not(own)))
  return leadingTo(scope, reachesNone(scope, asked) ? any(own, isNone(true)) : own)
}

const inTenantType: RuleType<InTenantRule> = {
  ...simpleRule,
  where: (rule, asked) => boundedTo(rule, asked, false),
  whereNot: (rule, asked) => boundedTo(rule, asked, true),
  judgesBy({ scope: { tenancy, operator: above, mayLackTenant } }, place) {
    const own: readonly CallerFact[] = ['user', 'console', 'tenant', `members:${tenancy}`]
    const others = [above, mayLackTenant ? operator : undefined].filter((one) => one !== undefined)
    return uniteFacts([own, ...others.map((one) => one.type.judgesBy(one, place))])
  },
  judgedFields: ({ scope: { via, field } }, { catalog, resource }) =>
    fieldsOnPath(catalog, resource, [...via.map((step) => step.field), field]),
  inDocument: ({ scope: { tenancy, isPublic } }, { catalog }) => {
    const tenant = inSentence(catalog.get(tenancy).label)
    return isPublic
      ? `anyone in the path of ${withArticle(tenant)}, and members of the ${tenant}`
      : `members of the ${tenant}`
  },
  inTable: ({ scope: { tenancy, isPublic } }, { catalog }) => {
    const tenant = inSentence(catalog.get(tenancy).label)
    return isPublic ? `in ${withArticle(tenant)}` : `in their ${tenant}`
  },
  check: () => undefined,
}

/** The rule of a resource whose records belong to tenants. */
export function inTenant(scope: TenantScope): Rule {
  const rule: InTenantRule = { type: inTenantType, scope }
  return rule
}

/** A rule about members often has the same condition: said once, an index range needs no rest. */
function both(scope: Condition, rule: Condition): Condition {
  const said = rule.kind === 'and' ? rule.of : [rule]
  return said.some((one) => isDeepStrictEqual(one, scope)) ? rule : all(scope, rule)
}

const withinType: RuleType<WithinRule> = {
  where: ({ scope, rule }, asked) => both(scope.type.where(scope, asked), rule.type.where(rule, asked)),
  whereNot: ({ scope, rule }, asked) => any(scope.type.whereNot(scope, asked), rule.type.whereNot(rule, asked)),
  judgesBy: ({ scope, rule }, place) => uniteFacts([scope, rule].map((one) => one.type.judgesBy(one, place))),
  needsKey: ({ rule }, settings) => rule.type.needsKey(rule, settings),
  refusal: ({ rule }, settings) => rule.type.refusal(rule, settings),
  asksOf: () => undefined,
  inDocument({ scope, rule }, context) {
    const members = scope.type.inDocument(scope, context)
    return rule.type === anyone.type ? members : `${rule.type.inDocument(rule, context)}; of these, ${members}`
  },
  inTable: ({ scope, rule }, place) => `${rule.type.inTable(rule, place)}, ${scope.type.inTable(scope, place)}`,
  check: () => undefined,
  parts: ({ scope, rule }, { resource }) => [
    { rule: scope, resource, at: 'tenant' },
    { rule, resource, at: 'rule' },
  ],
  forOperation({ scope, rule }, operation) {
    const settled = rule.type.forOperation(rule, operation)
    return settled === rule ? within(scope, rule) : within(scope, settled)
  },
}

/** The rule on the records that the scope bounds. Only reads are public. */
export function within(scope: Rule, rule: Rule): Rule {
  const within: WithinRule = { type: withinType, scope: scope as InTenantRule, rule }
  return within
}

/** The scope for one operation: a public resource is public to those who read. */
export function scopeFor(scope: TenantScope, operation: string): TenantScope {
  return scope.isPublic && !factsOf(operation).reads ? { ...scope, isPublic: false } : scope
}
