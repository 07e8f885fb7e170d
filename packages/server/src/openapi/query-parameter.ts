/** One parameter of a query string. */
import type { Node } from './node.ts'

export type Parameter = { readonly name: string; readonly about: string; readonly schema: Node }
export type NamedNode = readonly [string, Node]

/** A list of values with commas between them: `sort=name,-price`. */
const separatedByCommas: Node = { style: 'form', explode: false }

export function inQuery({ name, about, schema }: Parameter): Node {
  const commas = schema.type === 'array' ? separatedByCommas : {}
  return { name, in: 'query', description: about, ...commas, schema }
}
