/** Pieces of the document: plain JSON, and references between them. */
import type { Json } from '../resource/fields/field.ts'

export type OpenapiNode = { readonly [name: string]: Json }
export type NamedOpenapiNode = readonly [string, OpenapiNode]

type Section = 'schemas' | 'responses' | 'parameters' | 'headers'

/** `refTo('schemas', 'Error')` → `{ $ref: '#/components/schemas/Error' }` */
export function refTo(section: Section, name: string): OpenapiNode {
  return { $ref: `#/components/${section}/${name}` }
}

export function jsonContent(schema: OpenapiNode, type = 'application/json'): OpenapiNode {
  return { [type]: { schema } }
}

/** The content of a body, with an example that can be sent as it is. */
export function bodyContent(schema: OpenapiNode, example: Json, type = 'application/json'): OpenapiNode {
  return { [type]: { schema, example } }
}

/**
 * Programs that make a tool of each operation for a model leave these out: what proves who somebody
 * is, which is not for a model to hold, what is for machines that watch, and what another operation
 * tells as well. The extension is that of openapi-mcp-generator.
 */
export const notForModels: OpenapiNode = { 'x-mcp': false }

export function nodesOf(entries: Iterable<NamedOpenapiNode>): OpenapiNode {
  return Object.fromEntries(entries)
}

/**
 * An object with any members. Without `additionalProperties` generators of types make one of it
 * that has none.
 */
export function freeObject(description: string, members: Json = true): OpenapiNode {
  return { type: 'object', additionalProperties: members, description }
}

/** An object with these members, each of which is always there. */
export function objectSchema(description: string, properties: OpenapiNode): OpenapiNode {
  return { type: 'object', description, required: Object.keys(properties), properties }
}
