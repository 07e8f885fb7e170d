/**
 * Finds the columns of references that a `manyToMany` field replaces: it says so by `renamedFrom`,
 * or has the name of the reference.
 */
import type { Catalog, Resource } from '../../../resource/catalog.ts'
import type { Field } from '../../../resource/fields/field.ts'
import { earlierNames } from '../../../resource/fields/field-facts.ts'
import type { LinkRelation } from '../../../resource/resolved-resource.ts'
import { columnOf, type ModelColumn } from '../../model/model.ts'

/** Tables by their declared names. */
export type LinkTarget = {
  readonly into: string
  /** The trash of the links, where there is one. */
  readonly trash?: string | undefined
}

export type LinkedColumn = {
  readonly field: string
  /** The names that the reference may have had. */
  readonly names: readonly string[]
  readonly link: LinkRelation
  /** The column is in the trash of the records. */
  readonly inTrash: boolean
}

export type LinkedColumns = ReadonlyMap<string, readonly LinkedColumn[]>

export function targetOf({ table }: LinkRelation): LinkTarget {
  return { into: table.table, trash: table.trash?.resource.table }
}

/** By the names of the resources that may have such a column. */
export function linkedColumns({ resources }: Catalog): LinkedColumns {
  const found = new Map<string, LinkedColumn[]>()
  for (const resource of resources.values())
    for (const [field, link] of Object.entries(resource.links)) {
      const names = [field, ...earlierNames(resource.fields[field] as Field)]
      const own = { field, names, link }
      const add = ({ name }: Resource, inTrash: boolean) =>
        found.set(name, [...(found.get(name) ?? []), { ...own, inTrash }])
      add(resource, false)
      if (resource.trash) add(resource.trash.resource, true)
    }
  return found
}

/** The field of links that replaces this stored column. */
export function linkOf(links: readonly LinkedColumn[], { means, leaving }: ModelColumn): LinkedColumn | undefined {
  if (!means || leaving) return undefined
  return links.find(({ names, link }) => {
    const { target } = link
    const key = target.fields[target.idField] as Field
    return names.includes(means.field) && key.type.referredBy?.name === means.kind
  })
}

export const linkColumns = { from: columnOf('fromId'), to: columnOf('toId') } as const
