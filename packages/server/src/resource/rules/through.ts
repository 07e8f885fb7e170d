/** Callers who satisfy a rule on the record that a reference names pass. */
import type { Resource } from '../catalog.ts'
import { inSentence } from '../names.ts'
import type { Place, Rule, RuleType } from '../rule.ts'

type ThroughRule<K extends string = string> = Rule<K> & { readonly field: K; readonly rule: Rule }

function targetOf({ field }: ThroughRule, { catalog, resource }: Place): Resource {
  return catalog.get(resource.fields[field]?.reference?.resource ?? '')
}

const throughType: RuleType<ThroughRule> = {
  where(rule, asked) {
    const target = targetOf(rule, asked)
    const where = rule.rule.type.where(rule.rule, { ...asked, resource: target })
    if (where.kind === 'true' || where.kind === 'false') return where
    return { kind: 'related', field: rule.field, resource: target.name, where }
  },
  needsKey: ({ rule }, settings) => rule.type.needsKey(rule, settings),
  refusal: ({ rule }, settings) => rule.type.refusal(rule, settings),
  asksOf: ({ field, rule }, reference) => (field === reference ? rule : undefined),
  inDocument: ({ field, rule }, settings) => `${rule.type.inDocument(rule, settings)} (of the record in \`${field}\`)`,
  inTable(rule, place) {
    const target = targetOf(rule, place)
    return `as of its ${inSentence(target.label)}: ${rule.rule.type.inTable(rule.rule, { ...place, resource: target })}`
  },
  check({ field, rule }, check) {
    const target = check.byName.get(check.declared.fields[field]?.reference?.resource ?? '')
    if (!target) check.report(`through("${field}"): no reference of that name`)
    else rule.type.check(rule, { ...check, declared: target })
  },
}

/** Callers who satisfy the rule on the record that this reference names: `through('orderId', owner('userId'))`. */
export function through<K extends string>(field: K, rule: Rule): Rule<K> {
  const through: ThroughRule<K> = { type: throughType, field, rule }
  return through
}
