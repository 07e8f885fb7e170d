/**
 * Converts shapes of bodies to JSON Schemas. A named shape becomes a component with references to
 * it.
 */

import type { BodyShape } from '../endpoint/body-shape.ts'
import type { MediaBody, MediaContent } from '../endpoint/documented-response.ts'
import { isMediaBody } from '../endpoint/documented-response.ts'
import type { Field, Fields } from '../resource/fields/field.ts'
import { type NamedOpenapiNode, nodesOf, type OpenapiNode, refTo } from './openapi-node.ts'

/** The schema may have a title in place of a description. */
function propertyOf(field: Field): OpenapiNode {
  const schema = field.type.schema(field)
  return { ...schema, ...(field.description !== undefined && { description: field.description }) }
}

function objectOf(about: string, fields: Fields): OpenapiNode {
  const entries = Object.entries(fields)
  const required = entries.filter(([, { required }]) => required).map(([name]) => name)
  return {
    type: 'object',
    ...(about !== '' && { description: about }),
    ...(required.length > 0 && { required }),
    properties: nodesOf(entries.map(([name, field]): NamedOpenapiNode => [name, propertyOf(field)])),
  }
}

/** The schema itself, named or not. */
function schemaOf({ about, fields, beside }: BodyShape): OpenapiNode {
  if (!beside) return objectOf(about, fields)
  return { description: about, allOf: [schemaAt(beside.other), schemaAt(beside.own)] }
}

/** The schema at a place that uses the shape: a reference if it has a name. */
export function schemaAt(given: BodyShape): OpenapiNode {
  const shape = given.whole ?? given
  return shape.name === undefined ? schemaOf(shape) : refTo('schemas', shape.name)
}

export function shapeComponents(shapes: readonly BodyShape[]): OpenapiNode {
  return nodesOf(
    shapes.flatMap((one): NamedOpenapiNode[] => (one.name === undefined ? [] : [[one.name, schemaOf(one)]])),
  )
}

function contentOf(content: MediaContent): OpenapiNode {
  const { example } = content
  const schema =
    'shape' in content
      ? schemaAt(content.shape)
      : 'oneOf' in content
        ? { oneOf: content.oneOf.map(schemaAt) }
        : (content.schema as OpenapiNode)
  return { schema, ...(example !== undefined && { example }) }
}

/** The content of a body, by its media types. */
export function contentsOf(body: BodyShape | MediaBody): OpenapiNode {
  if (!isMediaBody(body)) return { 'application/json': { schema: schemaAt(body) } }
  return nodesOf(Object.entries(body.media).map(([type, content]): NamedOpenapiNode => [type, contentOf(content)]))
}
