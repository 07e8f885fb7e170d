/**
 * Finds a record by id, under the records that the path names, and only where it exists for the
 * caller.
 */
import { notFound } from '../../operation/not-found.ts'
import type { Operation, ParentPath, RecordKey } from '../../operation/operation.ts'
import { shownWhere, type VisibleFields } from '../../operation/visible-fields.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, always, type Condition, equal, never, type Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import type { Principal } from '../../resource/principal.ts'
import { branchOf } from '../../resource/relations/tree.ts'
import { ownTenantField } from '../../resource/tenancy/scope-resource.ts'
import type { Reader, Row } from '../../storage/storage.ts'

/** The id that a text names; undefined when it cannot be one, so no such record exists. */
export function parseId(resource: Resource, text: string, name = resource.idField): Scalar | undefined {
  const field = resource.fields[name] as Field
  try {
    return field.type.parse(text, name, field) as Scalar
  } catch {
    return undefined
  }
}

type NamedRecord = { readonly resource: Resource; readonly id: string; readonly key: RecordKey | undefined }

/**
 * The record with this id, or with this value of another unique field; undefined when the text can
 * be neither. A record that does not show the field to the caller is not found by it.
 */
export function whereNamed({ resource, id: text, key }: NamedRecord, seen: VisibleFields): Condition | undefined {
  const value = parseId(resource, text, key?.name)
  if (value === undefined || !key) return value === undefined ? undefined : equal(resource.idField, value)
  const own = ownTenantField(resource)
  const tenant = own === undefined || key.tenant === undefined ? always : equal(own, key.tenant)
  return all(tenant, equal(key.name, value), shownWhere(seen, key.name))
}

/**
 * Walks the records above, each under the previous one and each visible. Returns the condition that
 * ties the last to its children.
 */
export async function resolveUnder(
  reader: Reader,
  under: ParentPath,
  readable: readonly Condition[],
): Promise<{ by: string; parent: Row; condition: Condition }> {
  let above: { by: string; id: Scalar } | undefined
  let parent: Row | undefined
  for (const [i, step] of under.steps.entries()) {
    const { resource } = step
    const id = step.id === undefined ? undefined : parseId(resource, step.id)
    if (step.id !== undefined && id === undefined) throw notFound(resource, 'get')
    const conditions = [readable[i] as Condition]
    if (id !== undefined) conditions.push(equal(resource.idField, id))
    if (above) conditions.push(equal(above.by, above.id))
    const found = await reader.find(resource, all(...conditions))
    if (!found) throw notFound(resource, 'get')
    parent = found.row
    above = { by: under.steps[i + 1]?.by ?? under.by, id: parent[resource.idField] as Scalar }
  }
  if (!above || !parent) throw new Error('a nested operation without a step above it')
  if (under.branch) {
    const { resource } = under.steps.at(-1) as ParentPath['steps'][number]
    const asked = { resource, id: above.id, where: readable.at(-1) as Condition }
    return { by: above.by, parent, condition: branchOf(under.branch, asked) }
  }
  return { by: above.by, parent, condition: equal(above.by, above.id) }
}

/** Whether the operation is about the only record of a resource, or of a tenant. */
export function isSingleByPath({ resource, under, ...operation }: Operation): boolean {
  return resource.single && under === undefined && 'id' in operation && operation.id === undefined
}

/** The only record; in a tenant, the one of the tenant that the request names. */
function whereSingle(resource: Resource, { tenant }: Principal): Condition {
  const own = ownTenantField(resource)
  if (own === undefined) return always
  return tenant?.name === resource.scope?.tenancy && tenant ? equal(own, tenant.id as Scalar) : never
}

/**
 * The condition that selects the record of an operation. Throws `not-found` when its id cannot be
 * one.
 */
export async function whereOf(
  reader: Reader,
  permitted: Permitted<Operation & { id: string | undefined }>,
): Promise<Condition> {
  const { operation, steps, principal } = permitted
  const conditions: Condition[] = isSingleByPath(operation) ? [whereSingle(operation.resource, principal)] : []
  if (operation.id !== undefined) {
    const { resource, id, kind } = operation
    const named = whereNamed({ resource, id, key: kind === 'get' ? operation.key : undefined }, permitted)
    if (!named) throw notFound(resource, kind)
    conditions.push(named)
  }
  if (operation.under) conditions.push((await resolveUnder(reader, operation.under, steps)).condition)
  return all(...conditions)
}
