/**
 * Resources that the engine makes beside those of an application: the tables of versions, links and
 * files, and the trash. They are resources like any other, so storage,
 * migrations, backups and copies know none by name.
 */
import type { DeclaredResource } from '../define.ts'
import type { Field } from '../fields/field.ts'
import { findUsers } from '../rules/roles.ts'
import { type DeclaredMemberships, declaredMembers, tenantNames } from '../tenancy/tenant-words.ts'
import { fileTable } from './file-table.ts'
import { versioned, versionTable, withVersions } from './history-table.ts'
import { linkTables } from './link-table.ts'
import { asSingle } from './single-resource.ts'
import { endsForGood, withTrash } from './trash-table.ts'

/** The resources of an application, completed, and those that the engine makes for them. */
export function withMade(
  declared: readonly DeclaredResource[],
  tenancies: readonly DeclaredMemberships[],
): readonly DeclaredResource[] {
  const resources = declared.map(asSingle)
  const beside = { byName: new Map(resources.map((one) => [one.name, one])), users: findUsers(resources)?.name }
  const versions = resources.flatMap((one) => versionTable(one, beside) ?? [])
  const names = new Set(beside.byName.keys())
  const plain = (reference: Field) => versioned(reference, beside.byName)
  const links = [...linkTables({ resources, names }), ...linkTables({ resources: versions, names, plain })]
  const made = [...versions, ...links, ...[fileTable(resources) ?? []].flat()]
  const all = made.length === 0 ? resources : [...resources.map(withVersions), ...made]
  const tenants = tenantNames(tenancies)
  const members = new Set(tenancies.flatMap(declaredMembers).map(({ said }) => said.members))
  return withTrash(all, (one) => !endsForGood(one) && !tenants.has(one.name) && !members.has(one.name))
}
