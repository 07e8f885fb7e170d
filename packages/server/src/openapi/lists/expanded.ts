/**
 * Describes the members that `expand` adds to a record: the records that it refers to, and its
 * children. `can` has the operations that the caller may do.
 */
import { listLimits } from '../../operation/list-limits.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { linkMember, shownValueSchema } from '../../resource/fields/many-to-many.ts'
import { linkFields, linkValueNames } from '../../resource/made/link-table.ts'
import { restoringFrom } from '../../resource/made/shown-resources.ts'
import { inSentence, labelOf } from '../../resource/words/names.ts'
import { type NamedOpenapiNode, nodesOf, type OpenapiNode, refTo } from '../openapi-node.ts'

export type ExpandedSchema = { readonly name: string; readonly resource: Resource; readonly isMany: boolean }

/** Embedded relations are left out: the record always has them, as fields. */
export function expandedOf({ relations }: Resource): readonly ExpandedSchema[] {
  return Object.entries(relations).flatMap(([name, { kind, resource }]) =>
    kind === 'embedded' ? [] : [{ name, resource, isMany: kind === 'children' }],
  )
}

/** The property of an expanded relation. */
export function expandedSchema({ name, resource, isMany }: ExpandedSchema): OpenapiNode {
  const record = refTo('schemas', resource.schemaNames.Record)
  if (isMany) {
    const description = `With \`expand=${name}\`: its ${inSentence(labelOf(resource.plural))}.`
    return { type: 'array', maxItems: listLimits.pageSizeMax, description, items: record }
  }
  const description = `With \`expand=${name}\`: the ${inSentence(resource.label)}, or null.`
  return { anyOf: [record, { type: 'null' }], description }
}

/** The values of the link, in records that are shown as linked ones; none without such links. */
export function linkProperty({ referencedBy }: Resource): readonly NamedOpenapiNode[] {
  const ofLinks = referencedBy.flatMap(({ resource: table, field }) => {
    const names = table.traits.made?.kind === 'links' && field === linkFields.to ? linkValueNames(table.fieldNames) : []
    const schemas = names.map((name) => [name, shownValueSchema(table.fields[name] as Field)] as const)
    return schemas.length === 0 ? [] : [{ type: 'object', required: names, properties: nodesOf(schemas) }]
  })
  const [first, ...others] = ofLinks
  if (!first) return []
  const description = 'The values of its link, where `expand` shows it as a linked record.'
  return [[linkMember, others.length === 0 ? { ...first, description } : { description, anyOf: ofLinks }]]
}

/** Whether one operation is allowed, for all resources. */
export const allowedSchema: OpenapiNode = {
  type: 'boolean',
  description: 'Whether the caller may do it to this record.',
}

/** The property `can` of a record; none where no operation is on one record. */
export function canProperty({ can, schemaNames }: Resource): readonly NamedOpenapiNode[] {
  return can ? [[can.name, refTo('schemas', schemaNames.Can)]] : []
}

/** The component that it refers to. */
export function canSchema(resource: Resource): readonly NamedOpenapiNode[] {
  const { can, schemaNames } = resource
  if (!can) return []
  const { name, operations } = can
  // Of records in the trash there is one more.
  const named = restoringFrom(resource)?.can?.operations ?? operations
  const description = `Added by \`expand=${name}\`.`
  const properties = nodesOf(named.map((one) => [one, refTo('schemas', 'Allowed')] as const))
  return [[schemaNames.Can, { type: 'object', description, required: operations, properties }]]
}
