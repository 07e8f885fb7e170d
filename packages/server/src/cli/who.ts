/** Rules → the words of a table: who may do it. Derived from the rule itself, so it cannot say something else than `policy/` does. */
import type { Catalog, Resource } from '../resource/catalog.ts'
import { inSentence } from '../resource/names.ts'
import type { Rule, Settings } from '../resource/rule.ts'

export type Context = { readonly catalog: Catalog; readonly settings: Settings }
/** A rule, and the resource whose records it is about. */
export type RuleOf = { readonly resource: Resource; readonly rule: Rule }

/** The rules of a path, from above: each has to let the caller through. */
export function describeRules(context: Context, rules: readonly RuleOf[]): string {
  return [...new Set(rules.map(({ resource, rule }) => describeRule(context, resource, rule)))].join('; and ')
}

/** `['a', 'b', 'c']` → `a, b or c` */
function orOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** `either([owner('authorId'), role('ADMIN')])` → `owner (authorId) or ADMIN` */
export function describeRule(context: Context, resource: Resource, rule: Rule): string {
  switch (rule.kind) {
    case 'anyone':
      return 'anyone'
    case 'user':
      return 'any user'
    case 'role':
      return rule.role
    case 'owner':
      return rule.field === resource.idField ? `that ${inSentence(resource.label)}` : `owner (${rule.field})`
    case 'where':
      return `anyone if ${Object.entries(rule.values)
        .map(([field, value]) => (value === true ? field : `${field} is ${value}`))
        .join(' and ')}`
    case 'through': {
      const target = context.catalog.get(resource.fields[rule.field]?.reference?.resource ?? '')
      return `as of its ${inSentence(target.label)}: ${describeRule(context, target, rule.rule)}`
    }
    case 'either':
      return orOf(rule.rules.map((one) => describeRule(context, resource, one)))
    case 'machine':
      return `API key of ${describeRule(context, resource, rule.rule)}`
    case 'setting':
      return describeRule(context, resource, rule.when(context.settings) ? rule.rule : rule.otherwise)
  }
}
