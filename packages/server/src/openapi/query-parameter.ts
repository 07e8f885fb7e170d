/** One parameter of a query string. */
import type { Json } from '../resource/fields/field.ts'
import type { Node } from './node.ts'

export type Parameter = {
  readonly name: string
  readonly about: string
  readonly schema: Node
  readonly example: Json
}

/** A list of values with commas between them: `sort=name,-price`. */
const separatedByCommas: Node = { style: 'form', explode: false }

export function inQuery({ name, about, schema, example }: Parameter): Node {
  const commas = schema.type === 'array' ? separatedByCommas : {}
  return { name, in: 'query', description: about, ...commas, schema, example }
}
