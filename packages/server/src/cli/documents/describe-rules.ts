/** Describes access rules for the table of `bindery routes`: who may perform an operation. */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Rule, ServiceSettings } from '../../resource/rule.ts'

export type RuleContext = { readonly catalog: Catalog; readonly settings: ServiceSettings }
/** A rule, and the resource of the records that it judges. */
export type ResourceRule = { readonly resource: Resource; readonly rule: Rule }

/** The rules of a path, from the top: each must let the caller through. */
export function describeRules(context: RuleContext, rules: readonly ResourceRule[]): string {
  return [...new Set(rules.map(({ resource, rule }) => describeRule(context, resource, rule)))].join('; and ')
}

/** `anyOf([owner('authorId'), role('ADMIN')])` → `owner (authorId) or ADMIN` */
export function describeRule(context: RuleContext, resource: Resource, rule: Rule): string {
  return rule.type.inTable(rule, { ...context, resource })
}
