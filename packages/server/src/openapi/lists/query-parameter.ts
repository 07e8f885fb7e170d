/** One parameter of a query string. */
import type { Json } from '../../resource/fields/field.ts'
import { type NamedNode, type Node, refTo } from '../node.ts'

export type Parameter = {
  readonly name: string
  readonly about: string
  readonly schema: Node
  readonly example: Json
}

/** Names with commas between them. How many there may be, the introduction says. */
export const namesSchema: NamedNode = ['Names', { type: 'array', items: { type: 'string' } }]
const isNames = ({ $ref }: Node) => $ref === refTo('schemas', 'Names').$ref

/** A list of values with commas between them: `sort=name,-size`. The style `form` is the one of any query. */
const separatedByCommas: Node = { explode: false }

export function inQuery({ name, about, schema, example }: Parameter): Node {
  const commas = schema.type === 'array' || isNames(schema) ? separatedByCommas : {}
  return { name, in: 'query', description: about, ...commas, schema, example }
}
