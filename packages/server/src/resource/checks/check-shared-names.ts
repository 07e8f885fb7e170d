/**
 * Finds names that two declarations would share: paths below a record, tables, and declared fields
 * of GraphQL. `check-reserved-words.ts` finds those that the engine has.
 */
import type { DeclaredResource } from '../define.ts'
import { kebabOf, pluralOf } from '../words/names.ts'
import { tableNameOf } from '../words/sql-names.ts'
import { type DeclarationCheck, movesOf, type ReportProblem } from './declaration-check.ts'

export function checkPaths({ declared, report }: DeclarationCheck): void {
  checkKebab({ member: 'actions', names: [...movesOf(declared), ...Object.keys(declared.actions ?? {})] }, report)
  checkKebab({ member: 'children', names: Object.keys(declared.children ?? {}) }, report)
}

/** Names that differ in case alone are one path. */
function checkKebab(
  { member, names }: { readonly member: string; readonly names: readonly string[] },
  report: ReportProblem,
): void {
  const paths = new Map<string, string>()
  for (const name of new Set(names)) {
    const path = kebabOf(name)
    const other = paths.get(path)
    if (other !== undefined) report(`${member}.${name}`, `"${other}" has the path "${path}" too`)
    paths.set(path, name)
  }
}

const tableOf = ({ name, plural }: DeclaredResource) => tableNameOf(plural ?? pluralOf(name))

/** Whether SQLite keeps a table of this name beside the other one, for its searched texts. */
function isBeside(table: string, other: DeclaredResource): boolean {
  if (!table.startsWith(`${tableOf(other)}_`)) return false
  const rest = table.slice(tableOf(other).length + 1)
  const { search = [], filters = {} } = other.list ?? {}
  const isOfParts = Object.values(filters).some((filter) => filter?.by === 'contains') && /_parts(_|$)/.test(rest)
  return isOfParts || (search.length > 0 && /^(words|terms|search)(_|$)/.test(rest))
}

export function checkTables({ declared, byName, report }: DeclarationCheck): void {
  const table = tableOf(declared)
  for (const other of byName.values())
    if (isBeside(table, other))
      report(
        declared.plural ? 'plural' : 'name',
        `its table "${table}" would be one that the table of "${other.name}" in ${other.writtenIn} has beside it; give it another plural`,
      )
}

/** A declared field of GraphQL, with the declarations before this one. */
export function checkGraphqlNames({ declared, byName, report }: DeclarationCheck): void {
  for (const side of ['query', 'mutation'] as const)
    for (const name of Object.keys(declared.graphql?.[side] ?? {}))
      for (const other of byName.values()) {
        if (other === declared) break
        if (Object.hasOwn(other.graphql?.[side] ?? {}, name))
          report(`graphql.${side}.${name}`, `"${other.name}" in ${other.writtenIn} has a field of this name too`)
      }
}
