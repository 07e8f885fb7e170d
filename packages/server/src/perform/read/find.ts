/**
 * Finds a record by id, under the records that the path names, and only where it exists for the
 * caller.
 */
import { notFound } from '../../operation/not-found.ts'
import type { Operation, ParentPath } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import type { Reader, Row } from '../../storage/storage.ts'

/** The id that a text names; undefined when it cannot be one, so no such record exists. */
export function parseId(resource: Resource, text: string): Scalar | undefined {
  const field = resource.fields[resource.idField] as Field
  try {
    return field.type.parse(text, resource.idField, field) as Scalar
  } catch {
    return undefined
  }
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
  return { by: above.by, parent, condition: equal(above.by, above.id) }
}

/**
 * The condition that selects the record of an operation. Throws `not-found` when its id cannot be
 * one.
 */
export async function whereOf(
  reader: Reader,
  permitted: Permitted<Operation & { id: string | undefined }>,
): Promise<Condition> {
  const { operation, steps } = permitted
  const conditions: Condition[] = []
  if (operation.id !== undefined) {
    const id = parseId(operation.resource, operation.id)
    if (id === undefined) throw notFound(operation.resource, operation.kind)
    conditions.push(equal(operation.resource.idField, id))
  }
  if (operation.under) conditions.push((await resolveUnder(reader, operation.under, steps)).condition)
  return all(...conditions)
}
