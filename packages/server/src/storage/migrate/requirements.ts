/**
 * The requirements of declarations that stored records may break: checks of records, and references
 * that stay within a tenant. Each has a definition, so that a start counts only what is new.
 */
import { hash } from 'node:crypto'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { StoredCheck } from '../../resource/code/stored-check.ts'
import type { Condition } from '../../resource/condition.ts'
import { firstTenantField } from '../../resource/tenancy/scope-resource.ts'
import { relatedIn } from '../derived/match.ts'
import { columnOf } from '../model/model.ts'
import { quote } from '../sql/ddl-words.ts'
import type { Values } from '../stored-row.ts'

/** `sql`: the rows of the resource's table that break it, from `FROM` on; `own` is the table. */
export type BreakingRows =
  | { readonly by: 'condition'; readonly where: Condition }
  | { readonly by: 'code'; readonly refuses: (record: Values) => boolean }
  | { readonly by: 'sql'; readonly sql: string }

export type Requirement = {
  readonly resource: Resource
  /** The name of the check, or of the field that refers. */
  readonly name: string
  readonly line: string
  readonly stays: string
  readonly definition: string
  readonly breaking: BreakingRows
  /** The resources whose columns it reads. */
  readonly reads: readonly Resource[]
}

function markOf(definition: string): string {
  return hash('sha256', definition, 'hex').slice(0, 16)
}

function requirementOf(catalog: Catalog, check: StoredCheck): Requirement {
  const { resource, name, message, definition, failing, refuses } = check
  const others = failing ? relatedIn(failing).map((one) => catalog.get(one.resource)) : []
  return {
    resource,
    name,
    line: `${resource.writtenIn}: ${resource.name}: checks.${name} ("${message}")`,
    stays: 'a change of the fields that it reads is refused with 400 until the record satisfies it',
    definition: markOf(definition),
    breaking: failing ? { by: 'condition', where: failing } : { by: 'code', refuses },
    reads: [resource, ...others],
  }
}

/** The tenant of a row, in SQL. `from`: the alias of the row's table. */
function tenantSql(catalog: Catalog, { scope }: Resource, from: string): string {
  const { via = [], field = '' } = scope ?? {}
  const names = [...via.map((step) => step.field), field].map((name) => quote(columnOf(name)))
  return via.reduce((id, step, i) => {
    const { table, idField } = catalog.get(step.resource)
    const at = `${from}${i}`
    return `(SELECT ${at}.${names[i + 1]} FROM ${quote(table)} AS ${at} WHERE ${at}.${quote(columnOf(idField))} = ${id})`
  }, `${from}.${names[0]}`)
}

function wayOf(catalog: Catalog, resource: Resource): Resource[] {
  return [resource, ...(resource.scope?.via ?? []).map((step) => catalog.get(step.resource))]
}

/** A reference names records of the same tenant, but for the reference that leads to the tenant. */
function tenantReferences(catalog: Catalog, resource: Resource): Requirement[] {
  const { scope, writtenIn, table, storedNames, fields } = resource
  if (!scope) return []
  return storedNames.flatMap((name) => {
    const { reference } = fields[name] ?? {}
    const target = reference && catalog.get(reference.resource)
    if (!target || target.scope?.tenancy !== scope.tenancy || name === firstTenantField(resource)) return []
    const [own, other] = [tenantSql(catalog, resource, 'own'), tenantSql(catalog, target, 'other')]
    const sql = `FROM ${quote(table)} AS own JOIN ${quote(target.table)} AS other
      ON other.${quote(columnOf(target.idField))} = own.${quote(columnOf(name))}
      WHERE ${own} IS NOT NULL AND ${other} IS DISTINCT FROM ${own}`
    return [
      {
        resource,
        name,
        line: `${writtenIn}: ${resource.name}: field "${name}" names only records of the same ${scope.tenancy}: that rule`,
        stays: 'a write that sets the reference is refused with 400',
        definition: markOf(sql),
        breaking: { by: 'sql' as const, sql },
        reads: [...wayOf(catalog, resource), ...wayOf(catalog, target)],
      },
    ]
  })
}

/** The records of a tree stand at a level of it: neither deeper, nor in a circle. */
function treeRequirement(resource: Resource): Requirement[] {
  const { tree, table, idField, writtenIn, name } = resource
  if (!tree) return []
  const [id, by, own] = [quote(columnOf(idField)), quote(columnOf(tree.by)), quote(table)]
  const first = `SELECT t.${id}, 1 FROM ${own} AS t WHERE NOT EXISTS (SELECT 1 FROM ${own} AS u WHERE u.${id} = t.${by})`
  const next = `SELECT t.${id}, walk.level + 1 FROM walk CROSS JOIN ${own} AS t WHERE t.${by} = walk.id AND walk.level < ${tree.depth}`
  const sql = `FROM ${own} AS own WHERE own.${id} NOT IN (WITH RECURSIVE walk (id, level) AS (${first} UNION ALL ${next}) SELECT walk.id FROM walk)`
  return [
    {
      resource,
      name: tree.by,
      line: `${writtenIn}: ${name}: field "${tree.by}" makes a tree of at most ${tree.depth} levels: that rule`,
      stays: 'a write that sets the reference is refused with 400 where it breaks the rule',
      definition: markOf(sql),
      breaking: { by: 'sql', sql },
      reads: [resource],
    },
  ]
}

/** All requirements, checks first. */
export function requirementsOf(catalog: Catalog, checks: readonly StoredCheck[]): readonly Requirement[] {
  const resources = [...catalog.resources.values()]
  return [
    ...checks.map((check) => requirementOf(catalog, check)),
    ...resources.flatMap((one) => tenantReferences(catalog, one)),
    ...resources.flatMap(treeRequirement),
  ]
}
