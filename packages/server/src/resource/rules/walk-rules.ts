/** Walks over all rules of resources, with the rules that they contain and lead to. */

import type { GraphqlField } from '../access/graphql-fields.ts'
import type { CallerFact } from '../caller-facts.ts'
import type { Field } from '../fields/field.ts'
import type { JudgedCatalog, JudgedResource, Rule, RulePart, ServiceSettings } from '../rule.ts'
import { user } from './any-user.ts'

type ResourceWithRules = JudgedResource & {
  readonly writtenIn: string
  readonly accessAfter: Readonly<Record<string, Rule | undefined>>
  readonly fields: Readonly<Record<string, Field>>
  readonly checks: readonly { readonly name: string; readonly rule?: Rule | undefined }[]
  readonly graphql: Readonly<Record<'query' | 'mutation', Readonly<Record<string, GraphqlField>>>>
}

function* graphqlRulesOf({ graphql }: ResourceWithRules): Generator<readonly [place: string, rule: Rule]> {
  for (const side of ['query', 'mutation'] as const) {
    for (const [name, { access, returns }] of Object.entries(graphql[side])) {
      if (access) yield [`graphql.${side}.${name}`, access]
      if (returns === 'self') yield [`graphql.${side}.${name}`, user]
    }
  }
}

/** Every rule of a resource, with its place in the declaration. */
export function* rulesOfResource(resource: ResourceWithRules): Generator<readonly [place: string, rule: Rule]> {
  for (const [operation, rule] of Object.entries(resource.access)) if (rule) yield [`access.${operation}`, rule]
  for (const [operation, rule] of Object.entries(resource.accessAfter))
    if (rule) yield [`access.${operation}.after`, rule]
  for (const [name, { read, write }] of Object.entries(resource.fields)) {
    if (read) yield [`field "${name}": read`, read]
    if (write) yield [`field "${name}": write`, write]
  }
  for (const { name, rule } of resource.checks) if (rule) yield [`checks.${name}`, rule]
  yield* graphqlRulesOf(resource)
}

/** The rules that a rule contains, whatever the configuration is. */
function partsOf({ rule, resource }: RulePart, catalog: JudgedCatalog): readonly RulePart[] {
  return rule.type.parts(rule, { catalog, resource })
}

/**
 * Whether a rule leads to itself: `can` of two resources that ask each other. `above`: the rules
 * that lead to this one.
 */
function leadsToItself(part: RulePart, catalog: JudgedCatalog, above: readonly RulePart[] = []): boolean {
  if (above.some(({ rule, resource }) => rule === part.rule && resource === part.resource)) return true
  return partsOf(part, catalog).some((one) => leadsToItself(one, catalog, [...above, part]))
}

/** One line for each rule that can never be decided. */
function findRuleCycles(catalog: JudgedCatalog, resources: Iterable<ResourceWithRules>): string[] {
  return [...resources].flatMap((resource) =>
    [...rulesOfResource(resource)].flatMap(([place, rule]) =>
      leadsToItself({ rule, resource }, catalog)
        ? [`${resource.writtenIn}: ${resource.name}: ${place}: asks by can() for what this rule decides itself`]
        : [],
    ),
  )
}

/** Rules without parts judge by the same facts under every configuration. */
const anySettings: ServiceSettings = { currency: 'USD', signUp: 'open' }

/** The facts by which a rule judges, whatever the configuration is. */
function factsIn(part: RulePart, catalog: JudgedCatalog): readonly CallerFact[] {
  const parts = partsOf(part, catalog)
  if (parts.length > 0) return parts.flatMap((one) => factsIn(one, catalog))
  const { rule, resource } = part
  return rule.type.judgesBy(rule, { catalog, settings: anySettings, resource })
}

/** The names of facts of one kind by which rules judge, as the fields of users of `caller()`. */
export function factNamesOf(
  kind: 'field' | 'claim' | 'members',
  catalog: JudgedCatalog,
  resources: Iterable<ResourceWithRules>,
): readonly string[] {
  const facts = [...resources].flatMap((resource) =>
    [...rulesOfResource(resource)].flatMap(([, rule]) => factsIn({ rule, resource }, catalog)),
  )
  const named = facts.filter((fact) => fact.startsWith(`${kind}:`)).map((fact) => fact.slice(kind.length + 1))
  return [...new Set(named)].sort()
}

/** One line for each check of a record that asks something of a caller. */
function findCallerChecks(catalog: JudgedCatalog, resources: Iterable<ResourceWithRules>): string[] {
  return [...resources].flatMap((resource) =>
    resource.checks.flatMap(({ name, rule }) =>
      rule && factsIn({ rule, resource }, catalog).some((fact) => fact !== 'clock')
        ? [
            `${resource.writtenIn}: ${resource.name}: checks.${name}: require: is about the caller, and a check can only be about the record`,
          ]
        : [],
    ),
  )
}

/** One line for each rule that is right by itself, and wrong where it stands. */
export function findRuleMistakes(catalog: JudgedCatalog, resources: Iterable<ResourceWithRules>): string[] {
  const all = [...resources]
  return [...findRuleCycles(catalog, all), ...findCallerChecks(catalog, all)]
}
