/** Shapes of bodies → JSON Schemas. A shape with a name is a component, and is referred to. */

import type { Shape } from '../endpoint/body-shape.ts'
import type { Content, Media } from '../endpoint/route-answer.ts'
import { isMedia } from '../endpoint/route-answer.ts'
import type { Field, Fields } from '../resource/fields/field.ts'
import { type NamedNode, type Node, nodesOf, refTo } from './node.ts'

/** In place of a description the schema may have one. */
function propertyOf(field: Field): Node {
  const schema = field.type.schema(field)
  return { ...schema, ...(field.description !== undefined && { description: field.description }) }
}

function objectOf(about: string, fields: Fields): Node {
  const entries = Object.entries(fields)
  const required = entries.filter(([, { required }]) => required).map(([name]) => name)
  return {
    type: 'object',
    ...(about !== '' && { description: about }),
    ...(required.length > 0 && { required }),
    properties: nodesOf(entries.map(([name, field]): NamedNode => [name, propertyOf(field)])),
  }
}

/** The schema itself, whether it has a name or not. */
function schemaOf({ about, fields, beside }: Shape): Node {
  if (!beside) return objectOf(about, fields)
  return { description: about, allOf: [schemaAt(beside.other), schemaAt(beside.own)] }
}

/** Where a shape is used. */
export function schemaAt(given: Shape): Node {
  const shape = given.whole ?? given
  return shape.name === undefined ? schemaOf(shape) : refTo('schemas', shape.name)
}

export function shapeComponents(shapes: readonly Shape[]): Node {
  return nodesOf(shapes.flatMap((one): NamedNode[] => (one.name === undefined ? [] : [[one.name, schemaOf(one)]])))
}

function contentOf(content: Content): Node {
  const { example } = content
  const schema =
    'shape' in content
      ? schemaAt(content.shape)
      : 'oneOf' in content
        ? { oneOf: content.oneOf.map(schemaAt) }
        : (content.schema as Node)
  return { schema, ...(example !== undefined && { example }) }
}

/** The content of a body, by its media types. */
export function contentsOf(body: Shape | Media): Node {
  if (!isMedia(body)) return { 'application/json': { schema: schemaAt(body) } }
  return nodesOf(Object.entries(body.media).map(([type, content]): NamedNode => [type, contentOf(content)]))
}
