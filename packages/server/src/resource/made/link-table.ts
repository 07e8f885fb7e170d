/**
 * The table of the links of a `manyToMany` field: one row for each link, which names both records,
 * with its position and its declared values. It is a resource that the catalog makes. Links of a
 * version name records by ids alone, since those may be gone.
 */
import { type DeclaredResource, engineTraits } from '../define.ts'
import type { Field, Virtual } from '../fields/field.ts'
import { earlierNames } from '../fields/field-facts.ts'
import { id } from '../fields/id.ts'
import { linkLimitsOf } from '../fields/many-to-many.ts'
import { integer } from '../fields/numbers/integer.ts'
import { reference } from '../fields/reference.ts'
import { noTraits } from '../traits.ts'
import { typeNameOf } from '../words/names.ts'

/** The meaning of its fields. */
export const linkFields = { id: 'id', from: 'fromId', to: 'toId', position: 'position' } as const

/** `articleTagsLink` */
export function linkTableName(owner: string, field: string): string {
  return `${owner}${typeNameOf(field)}Link`
}

/** The declared fields of the links, of all fields of their table. */
export function linkValueNames(names: readonly string[]): readonly string[] {
  const own: readonly string[] = Object.values(linkFields)
  return names.filter((name) => !own.includes(name))
}

/** The reference as an id, without a key or an index. */
type PlainReference = (reference: Field) => Field
type LinksVirtual = Virtual & { readonly kind: 'links' }

function linkTable(
  { name: owner, renamedFrom, writtenIn, writtenAt }: DeclaredResource,
  [name, field]: readonly [string, Field],
  {
    virtual: { resource, ordered },
    plain,
  }: { readonly virtual: LinksVirtual; readonly plain: PlainReference | undefined },
): DeclaredResource {
  const owners = [owner, ...[renamedFrom ?? []].flat()]
  const names = [name, ...earlierNames(field)]
  const earlier = owners.flatMap((one) => names.map((other) => linkTableName(one, other))).slice(1)
  const fields: Record<string, Field> = {
    [linkFields.id]: id(),
    [linkFields.from]: reference(owner, { onDelete: 'delete' }),
    [linkFields.to]: plain ? plain(reference(resource)) : reference(resource, { onDelete: 'delete' }),
    ...(ordered && { [linkFields.position]: integer({ default: 0 }) }),
    ...linkLimitsOf(field).values,
  }
  const order = ordered ? linkFields.position : linkFields.id
  return {
    name: linkTableName(owner, name),
    description: `The links from ${owner} records to ${resource} records, by ${name}.`,
    ...(earlier.length > 0 && { renamedFrom: earlier }),
    fields,
    unique: [[linkFields.from, linkFields.to]],
    list: { style: 'page', sortable: [], defaultSort: order, filterable: [] },
    access: {},
    [engineTraits]: { ...noTraits, made: { kind: 'links', of: owner } },
    writtenIn,
    writtenAt,
  }
}

type LinkTables = {
  readonly resources: readonly DeclaredResource[]
  readonly names: ReadonlySet<string>
  /** For the links of versions. */
  readonly plain?: PlainReference
}

/** The tables of links of these resources. Links to resources outside of `names` have none. */
export function linkTables({ resources, names, plain }: LinkTables): readonly DeclaredResource[] {
  return resources.flatMap((declared) =>
    Object.entries(declared.fields).flatMap(([name, field]) => {
      const { virtual } = field
      return virtual?.kind === 'links' && names.has(virtual.resource)
        ? [linkTable(declared, [name, field], { virtual, plain })]
        : []
    }),
  )
}
