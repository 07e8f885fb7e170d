/** What `expand` adds to a record: the records that it refers to, and those below it, by the names that they stand under. */
import { listLimits } from '../operation/list-limits.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { isShown } from '../resource/fields/field-facts.ts'
import { inSentence, labelOf } from '../resource/names.ts'
import { type Node, refTo } from './node.ts'

export type Relation = { readonly name: string; readonly resource: Resource; readonly isMany: boolean }

/** `userId` → `user`, `owner` → `ownerRecord` */
function nameOf(reference: string): string {
  return /^(.+)Id$/.exec(reference)?.[1] ?? `${reference}Record`
}

/** A record that nobody can get, and a list that nobody can read, is no relation; nor is one whose name a field has. */
export function relationsOf(catalog: Catalog, resource: Resource): readonly Relation[] {
  const references = resource.fieldNames.flatMap((by): Relation[] => {
    const field = resource.fields[by] as Field
    const target = field.reference && isShown(field) ? catalog.get(field.reference.resource) : undefined
    return target?.access.get ? [{ name: nameOf(by), resource: target, isMany: false }] : []
  })
  const children = Object.entries(resource.children).flatMap(([name, child]): Relation[] => {
    const may = child.single ? child.resource.access.get : child.resource.access.list
    return may ? [{ name, resource: child.resource, isMany: !child.single }] : []
  })
  return [...references, ...children].filter(({ name }) => !Object.hasOwn(resource.fields, name))
}

/** The property that an expanded relation stands under. */
export function relationSchema({ name, resource, isMany }: Relation): Node {
  const record = refTo('schemas', resource.typeName)
  if (isMany) {
    const description = `With \`expand=${name}\`: its ${inSentence(labelOf(resource.plural))} that you may see.`
    return { type: 'array', maxItems: listLimits.pageSizeMax, readOnly: true, description, items: record }
  }
  const description = `With \`expand=${name}\`: the ${inSentence(resource.label)}, or null where there is none that you may see.`
  return { anyOf: [record, { type: 'null' }], readOnly: true, description }
}
