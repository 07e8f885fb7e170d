/**
 * Refuses two declarations with one name, one path or one table. Each mistake names both files.
 */

import { tableTwin } from '../accounts/table-twin.ts'
import type { DeclaredResource } from '../define.ts'
import { pluralOf } from '../words/names.ts'
import { tableNameOf } from '../words/sql-names.ts'
import type { DeclarationCheck } from './declaration-check.ts'

export function makeCheckTwins(): (context: DeclarationCheck) => void {
  const seen = {
    name: new Map<string, DeclaredResource>(),
    path: new Map<string, DeclaredResource>(),
    table: new Map<string, DeclaredResource>(),
  }
  return ({ declared, report }) => {
    const { name, path, plural } = declared
    const table = tableNameOf(plural ?? pluralOf(name))
    const [named, reached, stored] = [seen.name.get(name), path && seen.path.get(path), seen.table.get(table)]
    if (named === declared) return report('name', 'stands twice in the list of resources')
    if (named) report('name', tableTwin('name', declared, named) ?? `"${name}" is also declared in ${named.writtenIn}`)
    if (reached)
      report('path', tableTwin('path', declared, reached) ?? `"${path}" is also declared in ${reached.writtenIn}`)
    if (stored && !named)
      report(
        plural ? 'plural' : 'name',
        tableTwin('plural', declared, stored) ??
          `the table of "${stored.name}" in ${stored.writtenIn} has the name "${table}" too`,
      )
    seen.name.set(name, declared)
    if (path) seen.path.set(path, declared)
    seen.table.set(table, declared)
  }
}
