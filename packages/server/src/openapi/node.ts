/** Pieces of the document: plain JSON, and references between them. */
import type { Json } from '../resource/fields/field.ts'

export type Node = { readonly [name: string]: Json }
export type NamedNode = readonly [string, Node]

type Section = 'schemas' | 'responses' | 'parameters' | 'headers'

/** `refTo('schemas', 'Error')` → `{ $ref: '#/components/schemas/Error' }` */
export function refTo(section: Section, name: string): Node {
  return { $ref: `#/components/${section}/${name}` }
}

export function jsonContent(schema: Node, type = 'application/json'): Node {
  return { [type]: { schema } }
}

/** The content of a body, with an example that can be sent as it is. */
export function bodyContent(schema: Node, example: Json, type = 'application/json'): Node {
  return { [type]: { schema, example } }
}

/**
 * Programs that make a tool of each operation for a model leave these out: what proves who somebody is, which is not for a model to hold, what is
 * for machines that watch, and what another operation tells as well. The extension is that of openapi-mcp-generator.
 */
export const notForModels: Node = { 'x-mcp': false }

export function nodesOf(entries: Iterable<NamedNode>): Node {
  return Object.fromEntries(entries)
}

/** An object with any members. Without `additionalProperties` generators of types make one of it that has none. */
export function freeObject(description: string, members: Json = true): Node {
  return { type: 'object', additionalProperties: members, description }
}

/** An object with these members, each of which is always there. */
export function objectSchema(description: string, properties: Node): Node {
  return { type: 'object', description, required: Object.keys(properties), properties }
}
