/** Makes one query parameter of the document. */
import type { Json } from '../../resource/fields/field.ts'
import { type NamedOpenapiNode, type OpenapiNode, refTo } from '../openapi-node.ts'

export type QueryParameter = {
  readonly name: string
  readonly about: string
  readonly schema: OpenapiNode
  readonly example: Json
}

/** Names with commas between them. The introduction gives their number. */
export const namesSchema: NamedOpenapiNode = ['Names', { type: 'array', items: { type: 'string' } }]
const isNames = ({ $ref }: OpenapiNode) => $ref === refTo('schemas', 'Names').$ref

/** A list with commas between its values: `sort=name,-size`. Queries have the style `form`. */
const separatedByCommas: OpenapiNode = { explode: false }

export function inQuery({ name, about, schema, example }: QueryParameter): OpenapiNode {
  const commas = schema.type === 'array' || isNames(schema) ? separatedByCommas : {}
  return { name, in: 'query', description: about, ...commas, schema, example }
}
