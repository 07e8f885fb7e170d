/** Describes the children that a body writes: a list of new ones, or an object of verbs. */
import { bulkLimits } from '../../operation/list-limits.ts'
import { type NestedVerb, nestedLink, verbsOf } from '../../operation/nested/nested-body.ts'
import type { ChildRelation, Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import type { BodyKind } from '../../resource/operation-kind.ts'
import { inSentence, labelOf } from '../../resource/words/names.ts'
import { type NamedOpenapiNode, nodesOf, type OpenapiNode } from '../openapi-node.ts'

type BodyOf = (link: ChildRelation, kind: BodyKind) => OpenapiNode

const listOf = (items: OpenapiNode): OpenapiNode => ({ type: 'array', maxItems: bulkLimits.recordsMax, items })

function itemOf(link: ChildRelation, verb: NestedVerb, bodyOf: BodyOf): OpenapiNode {
  const { idField, fields } = link.resource
  const field = fields[idField] as Field
  const id: OpenapiNode = field.type.schema(field)
  if (verb === 'delete') return id
  const body = bodyOf(link, verb)
  if (verb === 'create') return body
  return { allOf: [body, { type: 'object', required: [idField], properties: { [idField]: id } }] }
}

function nestedSchema(link: ChildRelation, kind: BodyKind, bodyOf: BodyOf): OpenapiNode {
  const verbs = verbsOf(link, kind).map((verb) => [verb, listOf(itemOf(link, verb, bodyOf))] as const)
  const changes: OpenapiNode = { type: 'object', properties: nodesOf(verbs), additionalProperties: false }
  const description = `Its ${inSentence(labelOf(link.resource.plural))}, all or nothing.`
  const [first] = verbs
  return kind === 'create' && first ? { description, anyOf: [first[1], changes] } : { ...changes, description }
}

/** The properties of a body, by the names of the children. */
export function nestedProperties(resource: Resource, kind: BodyKind, bodyOf: BodyOf): readonly NamedOpenapiNode[] {
  return resource.nestedNames.flatMap((name) => {
    const link = nestedLink(resource, name, kind)
    return link ? [[name, nestedSchema(link, kind, bodyOf)] as const] : []
  })
}
