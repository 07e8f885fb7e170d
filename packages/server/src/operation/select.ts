/**
 * Sparse fields: `fields=name,price` shows exactly those and the id. `expansion.ts` parses the
 * paths among them.
 */
import { parameterError } from './parameters.ts'

/**
 * Throws `bad-request` for a field that the caller may not read. `path`: the relations before it,
 * `product.`.
 */
export function checkField(visible: ReadonlySet<string>, name: string, path = ''): void {
  if (!visible.has(name)) throw parameterError('fields', `Unknown field ${`${path}${name}`.slice(0, 100)} in fields`)
}
