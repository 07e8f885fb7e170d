/**
 * Finds the references of a resource whose named records decide about a write: by `match`, by a
 * check, or by a rule that forbids. Refusals of the write tell something of those records.
 */
import { writesRecords } from '../operation-kind.ts'
import type { JudgedCatalog, JudgedResource, Rule, RulePart } from '../rule.ts'

type ResourceWithReferences = JudgedResource & {
  /** Filled here. */
  readonly judgedReferences: readonly string[]
  readonly matchingNames: readonly string[]
  readonly accessAfter: Readonly<Record<string, Rule | undefined>>
  readonly checks: readonly { readonly rule?: Rule | undefined }[]
}

/**
 * The references that a rule follows from the record that it judges. `forbidden`: only those in
 * parts which it negates.
 */
function* followed(part: RulePart, catalog: JudgedCatalog, forbidden: boolean): Generator<string> {
  const { rule, resource } = part
  for (const { link, isNegated, ...inner } of rule.type.parts(rule, { catalog, resource })) {
    const counts = !forbidden || isNegated === true
    if (!link) yield* followed(inner, catalog, !counts)
    else if (counts && link.at === undefined) yield link.field
  }
}

/** Their names. A rule that allows by what a reference names gives that away by itself. */
function judgedReferencesOf(resource: ResourceWithReferences, catalog: JudgedCatalog): readonly string[] {
  const { matchingNames, checks, access, accessAfter } = resource
  const written = [access, accessAfter].flatMap((rules) =>
    Object.entries(rules).flatMap(([operation, rule]) => (rule && writesRecords(operation) ? [rule] : [])),
  )
  const names = [
    ...matchingNames,
    ...checks.flatMap(({ rule }) => (rule ? [...followed({ rule, resource }, catalog, false)] : [])),
    ...written.flatMap((rule) => [...followed({ rule, resource }, catalog, true)]),
  ]
  return [...new Set(names)]
}

/** Writes them into the resources. No other code has read them yet. */
export function noteJudgedReferences(catalog: JudgedCatalog, resources: Iterable<ResourceWithReferences>): void {
  for (const one of resources) (one.judgedReferences as string[]).push(...judgedReferencesOf(one, catalog))
}
