/** The mistakes in the endpoints of webhooks that an application declares. */
import type { ReportProblem } from '../checks/declaration-check.ts'
import { type DeclaredResource, engineTraits } from '../define.ts'
import { printValue } from '../members.ts'
import { kebabOf, pluralOf } from '../words/names.ts'
import { findMeant } from '../words/nearest.ts'

const slugOf = ({ name, plural }: DeclaredResource) => kebabOf(plural ?? pluralOf(name))

const needs = 'say changes: true there, and give it a list'

function checkResource(
  one: DeclaredResource | undefined,
  { slug, known, report }: { slug: string; known: readonly string[]; report(problem: string): void },
): void {
  if (!one) report(`no resource "${slug}"${findMeant(slug, known)}`)
  else if (!one.changes || !(one.access.list ?? one.access.read ?? (one.single && one.access.get)))
    report(`no changes of "${slug}" are told: ${needs}`)
}

function checkFieldNames(
  fields: Readonly<Record<string, readonly string[]>>,
  { at, bySlug, report }: { at: string; bySlug: ReadonlyMap<string, DeclaredResource>; report: ReportProblem },
): void {
  for (const [slug, names] of Object.entries(fields)) {
    const own = Object.keys(bySlug.get(slug)?.fields ?? {})
    for (const field of own.length > 0 ? names.filter((one) => !own.includes(one)) : [])
      report(`${at}.recordFields.${slug}`, `no field "${field}"${findMeant(field, own)}`)
  }
}

/** The mistakes in what declared endpoints name. `byName`: all resources. */
export function checkDeclaredEndpoints({
  declared,
  byName,
  report,
}: {
  readonly declared: DeclaredResource
  readonly byName: ReadonlyMap<string, DeclaredResource>
  readonly report: ReportProblem
}): void {
  const trait = declared[engineTraits]?.webhooks
  if (trait?.part !== 'endpoints') return
  const bySlug = new Map([...byName.values()].map((one) => [slugOf(one), one]))
  const known = [...bySlug.keys()]
  for (const [name, { resources, filters = {}, recordFields = {} }] of Object.entries(trait.declared)) {
    const at = `endpoints.${name}`
    if (resources.length === 0) report(`${at}.resources`, 'names at least one resource')
    for (const slug of resources)
      checkResource(bySlug.get(slug), { slug, known, report: (problem) => report(`${at}.resources`, problem) })
    for (const member of ['filters', 'recordFields'] as const)
      for (const slug of Object.keys({ filters, recordFields }[member]).filter((one) => !resources.includes(one)))
        report(`${at}.${member}`, `${printValue(slug)} is none of its resources${findMeant(slug, resources)}`)
    checkFieldNames(recordFields, { at, bySlug, report })
  }
}
