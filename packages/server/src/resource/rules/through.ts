/** The rule `through`: callers pass who satisfy a rule on the record that a reference names. */
import { printValue } from '../members.ts'
import { checkRule, isAboutRecord, type JudgedResource, type Rule, type RulePartScope, type RuleType } from '../rule.ts'
import { inSentence } from '../words/names.ts'
import { findMeant } from '../words/nearest.ts'
import type { BelowPath } from './rule-paths.ts'

type ThroughRule = Rule & { readonly field: string; readonly rule: Rule }

function targetOf({ field }: ThroughRule, { catalog, resource }: RulePartScope): JudgedResource {
  return catalog.get(resource.fields[field]?.reference?.resource ?? '')
}

const throughType: RuleType<ThroughRule> = {
  where(rule, asked) {
    const target = targetOf(rule, asked)
    const where = rule.rule.type.where(rule.rule, { ...asked, resource: target })
    if (where.kind === 'true' || where.kind === 'false') return where
    return { kind: 'related', field: rule.field, resource: target.name, where }
  },
  whereNot(rule, asked) {
    const target = targetOf(rule, asked)
    const where = rule.rule.type.whereNot(rule.rule, { ...asked, resource: target })
    if (where.kind === 'true' || where.kind === 'false') return where
    return { kind: 'related', field: rule.field, resource: target.name, where }
  },
  judgesBy: (rule, scope) => rule.rule.type.judgesBy(rule.rule, { ...scope, resource: targetOf(rule, scope) }),
  needsKey: ({ rule }, settings) => rule.type.needsKey(rule, settings),
  refusal: ({ rule }, settings) => rule.type.refusal(rule, settings),
  asksOf: ({ field, rule }, reference) => (field === reference ? rule : undefined),
  inDocument: ({ field, rule }, context) => `${rule.type.inDocument(rule, context)} (of the record in \`${field}\`)`,
  inTable(rule, scope) {
    const target = targetOf(rule, scope)
    return `as of its ${inSentence(target.label)}: ${rule.rule.type.inTable(rule.rule, { ...scope, resource: target })}`
  },
  check({ field, rule }, check) {
    const { declared, byName, report } = check
    const at = `through(${printValue(field)})`
    if (!isAboutRecord(at, check)) return
    const named = Object.entries(declared.fields).filter(([, one]) => one.reference && !one.virtual)
    const references = named.map(([name]) => name)
    if (!references.includes(field))
      return report(`${at}: no reference of that name${findMeant(String(field), references)}`)
    // A reference to a resource that does not exist is reported with the field.
    const target = byName.get(declared.fields[field]?.reference?.resource ?? '')
    if (target) checkRule(rule, { ...check, declared: target, hasPrevious: false })
  },
  parts: (own, scope) => [
    { rule: own.rule, resource: targetOf(own, scope), at: `through(${own.field})`, link: { field: own.field } },
  ],
  forOperation: ({ field, rule }, operation) => through(field, rule.type.forOperation(rule, operation)),
}

/**
 * Callers who satisfy the rule on the record that this reference names: `through('orderId',
 * owner('userId'))`. The fields of that record are checked where all resources are known: by the
 * compiler in the call of `runService`, and at start.
 */
export function through<
  const K extends string,
  F extends string = never,
  P extends string = never,
  L extends string = never,
>(field: K, rule: Rule<F, P, L>): Rule<K, BelowPath<K, F | P>, L> {
  const made: ThroughRule = { type: throughType, field, rule }
  return made as Rule as Rule<K, BelowPath<K, F | P>, L>
}
