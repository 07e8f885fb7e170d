/** Builders for parts of the document: plain JSON objects, and references between them. */
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

/** The content of a body, with an example that a client can send unchanged. */
export function bodyContent(schema: OpenapiNode, example: Json, type = 'application/json'): OpenapiNode {
  return { [type]: { schema, example } }
}

/**
 * Excludes an operation from the tools that programs make for language models: operations that
 * handle credentials, serve monitoring, or repeat another operation. The extension is that of
 * openapi-mcp-generator.
 */
export const notForModels: OpenapiNode = { 'x-mcp': false }

export function nodesOf(entries: Iterable<NamedOpenapiNode>): OpenapiNode {
  return Object.fromEntries(entries)
}

/**
 * An object with any members. Without `additionalProperties`, type generators make an object
 * without members.
 */
export function freeObject(description: string, members: Json = true): OpenapiNode {
  return { type: 'object', additionalProperties: members, description }
}

/** An object with these members, all required. */
export function objectSchema(description: string, properties: OpenapiNode): OpenapiNode {
  return { type: 'object', description, required: Object.keys(properties), properties }
}
