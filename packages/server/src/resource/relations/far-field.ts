/**
 * Fields behind references: `team.club.name`. The key of a list or of a summary has the references
 * on the way. Each has the condition of the records that its reader may see.
 */
import type { Condition } from '../condition.ts'
import type { Field } from '../fields/field.ts'
import type { Resource } from '../resolved-resource.ts'

/**
 * One reference on the way. `where`: the records of the resource that exist for the reader. Any
 * other record counts as none.
 */
export type ReferenceStep = { readonly by: string; readonly resource: string; readonly where: Condition }

/** A field of the record that the last reference names. Plain data, as conditions are. */
export type FarField = { readonly through: readonly ReferenceStep[]; readonly field: string }

/** A field of the record, or of one behind references: then `field` is the whole path. */
export type FieldKey = { readonly field: string; readonly far?: FarField }

/** The resources on the way, in its order. */
export function resourcesBehind(resource: Resource, { through }: FarField): Resource[] {
  let at = resource
  return through.map(({ by }) => {
    const relation = Object.values(at.relations).find((one) => one.kind === 'reference' && one.by === by)
    if (!relation) throw new Error(`${at.name} has no relation by ${by}`)
    at = relation.resource
    return at
  })
}

/** The field that a key names. */
export function fieldOfKey(resource: Resource, { field, far }: FieldKey): Field {
  const [owner, name] = far ? [resourcesBehind(resource, far).at(-1), far.field] : [resource, field]
  const found = owner?.fields[name]
  if (!found) throw new Error(`${resource.name} has no field ${field}`)
  return found
}

/** The references by which paths lead on from a resource, by their names. */
export function referencesOf({ relations, list }: Resource): readonly string[] {
  return Object.entries(relations).flatMap(([name, { kind, by }]) =>
    kind === 'reference' && list.filterable.has(by) ? [name] : [],
  )
}

export function hasFarKey(keys: readonly FieldKey[]): boolean {
  return keys.some(({ far }) => far !== undefined)
}
