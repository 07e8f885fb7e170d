/**
 * The relations of a resource, by name: the records that its references name, its children, and the
 * ones that it embeds. REST's `expand`, filters across a reference and GraphQL read this one table.
 */
import type { Field } from '../fields/field.ts'
import { isOneToOne } from '../fields/field-facts.ts'
import { joiningWords } from '../list-style.ts'

/** `R`: the resource, which the catalog types. */
export type RelationDescription<R> = {
  /**
   * `reference`: the one record that the field `by` of this one names. `children` and `single`: the
   * records whose field `by` names this one. `one`: the one of these, or none. `embedded`: those
   * that the field of this name shows in every answer. `links`: the records that the links of the
   * field `by` name.
   */
  readonly kind: 'reference' | 'children' | 'single' | 'one' | 'embedded' | 'links'
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

/**
 * `ownerId` → `owner`, or `ownerIdRecord` where that is a field, a child, or a word that joins
 * filters. `ownerId_record` where that is taken too: names of declarations have no `_`.
 */
function relationName(name: string, taken: ReadonlySet<string>): string {
  const plain = /^(.+)Id$/.exec(name)?.[1] ?? `${name}Record`
  return [plain, `${name}Record`].find((one) => !taken.has(one)) ?? `${name}_record`
}

function kindOfChild(by: Field | undefined, single: boolean): 'children' | 'single' | 'one' {
  return isOneToOne(by) ? 'one' : single ? 'single' : 'children'
}

/** Whether there is one record at most. */
export function isOfOne({ kind }: Pick<RelationDescription<unknown>, 'kind'>): boolean {
  return kind === 'reference' || kind === 'single' || kind === 'one'
}

/** The children that are relations: a parent's single record that can be read, or a list. */
function shownChildren<R>({ children }: RelatedShape<R>) {
  return Object.entries(children).filter(([, { single, operations }]) => operations.includes(single ? 'get' : 'list'))
}

/**
 * Resources without a `get` and children without a list are no relations. A field takes precedence
 * over a relation of its name, and a child over the relation of a reference.
 */
export function relationsOf<R extends RelatedShape<R>>(
  resource: R,
  get: (name: string) => R,
): Record<string, RelationDescription<R>> {
  const relations: Record<string, RelationDescription<R>> = {}
  const children = shownChildren(resource)
  const taken = new Set([...joiningWords, ...resource.fieldNames, ...children.map(([name]) => name)])
  for (const name of resource.fieldNames) {
    const { virtual, reference, hidden } = resource.fields[name] as Field
    if (virtual?.kind === 'embedded')
      relations[name] = { kind: 'embedded', resource: get(virtual.resource), by: virtual.by }
    if (virtual?.kind === 'links' && get(virtual.resource).access.get)
      relations[name] = { kind: 'links', resource: get(virtual.resource), by: name }
    if (!reference || hidden) continue
    const target = get(reference.resource)
    const relation = relationName(name, taken)
    if (!target.access.get) continue
    relations[relation] = { kind: 'reference', resource: target, by: name }
    taken.add(relation)
  }
  for (const [name, { resource: target, by, single }] of children)
    if (!resource.fields[name]) relations[name] = { kind: kindOfChild(target.fields[by], single), resource: target, by }
  return relations
}
