/**
 * Bounds the resource of tenants by the tenant that a request names, and API keys by the tenant
 * that each is bound to. Their rules may say nothing of members: `role('ADMIN')` is about the
 * caller. A key of one tenant reaches no other one by them, and none of its keys. A create makes a
 * new tenant, which `tenancy/` refuses to such requests in words of its own.
 */
import { uniteFacts } from '../caller-facts.ts'
import { all, always, any, type Condition, equal, never, not, type Scalar } from '../condition.ts'
import { type Rule, type RuleInput, type RuleType, simpleRule } from '../rule.ts'

/** `field`: it names the tenant of the record; the id unless given. */
type NamedRule = Rule & { readonly tenancy: string; readonly field: string | undefined }
type WithinNamedRule = Rule & { readonly named: NamedRule; readonly rule: Rule }

/** Undefined where the request names no tenant of this tenancy. */
function namedId({ tenancy }: NamedRule, { principal: { tenant } }: RuleInput): Scalar | undefined {
  return tenant?.name === tenancy ? tenant.id : undefined
}

function isNamed(rule: NamedRule, asked: RuleInput): Condition {
  const id = namedId(rule, asked)
  return id === undefined ? always : equal(rule.field ?? asked.resource.idField, id)
}

const namedType: RuleType<NamedRule> = {
  ...simpleRule,
  where: isNamed,
  whereNot: (rule, asked) => (namedId(rule, asked) === undefined ? never : not(isNamed(rule, asked))),
  judgesBy: () => ['tenant'],
  judgedFields: ({ field }, { resource: { name, idField } }) => [{ resource: name, field: field ?? idField }],
  inDocument: () => 'the tenant that the request names',
  inTable: () => 'the tenant that the request names',
  check: () => undefined,
}

/** Documents say the declared rule alone: without a name the bounds are none. */
const withinNamedType: RuleType<WithinNamedRule> = {
  where: ({ named, rule }, asked) => all(named.type.where(named, asked), rule.type.where(rule, asked)),
  whereNot: ({ named, rule }, asked) => any(named.type.whereNot(named, asked), rule.type.whereNot(rule, asked)),
  judgesBy: ({ named, rule }, place) => uniteFacts([named, rule].map((one) => one.type.judgesBy(one, place))),
  needsKey: ({ rule }, settings) => rule.type.needsKey(rule, settings),
  refusal: ({ rule }, settings) => rule.type.refusal(rule, settings),
  asksOf: ({ rule }, reference) => rule.type.asksOf(rule, reference),
  inDocument: ({ rule }, context) => rule.type.inDocument(rule, context),
  inTable: ({ rule }, place) => rule.type.inTable(rule, place),
  check: () => undefined,
  parts: ({ named, rule }, { resource }) => [
    { rule: named, resource, at: 'tenant' },
    { rule, resource, at: 'rule' },
  ],
  forOperation({ named, rule }, operation) {
    const settled = rule.type.forOperation(rule, operation)
    return settled === rule ? withinNamedRule(named, rule) : withinNamedRule(named, settled)
  },
}

function withinNamedRule(named: NamedRule, rule: Rule): Rule {
  const within: WithinNamedRule = { type: withinNamedType, named, rule }
  return within
}

/** The tenants that exist for a request, whichever rule lets its caller in. */
export function boundTenant(tenancy: string, field?: string): Rule {
  const rule: NamedRule = { type: namedType, tenancy, field }
  return rule
}

/** The rule of an operation on tenants, or on the records whose field names one. */
export function withinBoundTenant(tenancy: string, rule: Rule, field?: string): Rule {
  return withinNamedRule({ type: namedType, tenancy, field }, rule)
}
