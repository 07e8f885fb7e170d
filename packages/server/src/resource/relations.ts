/**
 * The relations of a resource, by name: the records that its references name, its children, and the
 * ones that it embeds. REST's `expand`, filters across a reference and GraphQL read this one table.
 */
import type { Field } from './fields/field.ts'

/** `R`: the resource, which the catalog types. */
export type RelationDescription<R> = {
  /**
   * `reference`: the one record that the field `by` of this one names. `children` and `single`: the
   * records whose field `by` names this one. `embedded`: the same, where the field of this name
   * shows them in every answer.
   */
  readonly kind: 'reference' | 'children' | 'single' | 'embedded'
  readonly resource: R
  readonly by: string
}

type RelatedShape<R> = {
  readonly fields: Readonly<Record<string, Field>>
  readonly fieldNames: readonly string[]
  readonly access: Readonly<Record<string, unknown>>
  readonly children: Readonly<
    Record<string, { resource: R; by: string; single: boolean; operations: readonly string[] }>
  >
}

/** `ownerId` → `owner`; undefined when the record has no field of its own for it. */
function relationName({ fields }: Pick<RelatedShape<unknown>, 'fields'>, name: string): string | undefined {
  const relation = /^(.+)Id$/.exec(name)?.[1] ?? `${name}Record`
  return fields[relation] ? undefined : relation
}

/**
 * Resources without a `get` and children without a list are no relations. A field takes precedence
 * over a relation of its name.
 */
export function relationsOf<R extends RelatedShape<R>>(
  resource: R,
  get: (name: string) => R,
): Record<string, RelationDescription<R>> {
  const relations: Record<string, RelationDescription<R>> = {}
  for (const name of resource.fieldNames) {
    const { virtual, reference, hidden } = resource.fields[name] as Field
    if (virtual?.kind === 'embedded')
      relations[name] = { kind: 'embedded', resource: get(virtual.resource), by: virtual.by }
    if (!reference || hidden) continue
    const target = get(reference.resource)
    const relation = relationName(resource, name)
    if (relation !== undefined && target.access.get)
      relations[relation] = { kind: 'reference', resource: target, by: name }
  }
  for (const [name, { resource: target, by, single, operations }] of Object.entries(resource.children)) {
    const isTaken = resource.fields[name] !== undefined || relations[name] !== undefined
    if (isTaken || !operations.includes(single ? 'get' : 'list')) continue
    relations[name] = { kind: single ? 'single' : 'children', resource: target, by }
  }
  return relations
}
