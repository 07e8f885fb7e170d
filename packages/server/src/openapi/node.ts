/** Pieces of the document: plain JSON, and references between them. */
import type { Json } from '../resource/fields/field.ts'

export type Node = { readonly [name: string]: Json }

type Section = 'schemas' | 'responses' | 'parameters' | 'headers'

/** `refTo('schemas', 'Error')` → `{ $ref: '#/components/schemas/Error' }` */
export function refTo(section: Section, name: string): Node {
  return { $ref: `#/components/${section}/${name}` }
}

export function jsonContent(schema: Node, type = 'application/json'): Node {
  return { [type]: { schema } }
}

export function nodesOf(entries: Iterable<readonly [string, Node]>): Node {
  return Object.fromEntries(entries)
}
