/**
 * Resources that the engine makes beside those of an application: the tables of their versions.
 * They are resources like any other, so storage, migrations, backups and copies know none by name.
 */
import type { DeclaredResource } from '../define.ts'
import { versionTable, withVersions } from './history-table.ts'

/** The resources of an application, completed, and those that the engine makes for them. */
export function withMade(resources: readonly DeclaredResource[]): readonly DeclaredResource[] {
  const byName = new Map(resources.map((one) => [one.name, one]))
  const versions = resources.flatMap((one) => versionTable(one, byName) ?? [])
  return versions.length === 0 ? resources : [...resources.map(withVersions), ...versions]
}
