/** The entries of GraphQL in their long form: the name of an operation stands for one. */
import type { GraphqlField } from '../define.ts'

export function graphqlFields(
  fields: Readonly<Record<string, string | GraphqlField>> = {},
): Record<string, GraphqlField> {
  const entries = Object.entries(fields)
  return Object.fromEntries(entries.map(([name, f]) => [name, typeof f === 'string' ? { operation: f } : f]))
}
