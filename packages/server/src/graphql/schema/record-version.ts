/** The field `version` of record types, which a write names to apply to that version alone. */
import { type GraphQLFieldConfig, GraphQLInt } from 'graphql'
import type { Row } from '../../storage/storage.ts'
import type { Represented } from '../../value/represent.ts'
import type { GraphqlContext } from '../context.ts'

/** No field of a declaration has this name. It comes last in the records' types. */
export const versionName = 'version'

export const versionField: GraphQLFieldConfig<Represented, GraphqlContext> = {
  type: GraphQLInt,
  description: 'Send it with a write that is for this version alone. Null in records that are parts of another.',
  extensions: { characters: 0 },
}

/** The shown record, with its version where the query selects it. */
export function withVersion<R extends object>(shown: R, row: Row, asked: ReadonlySet<string>): R {
  return asked.has(versionName) ? { ...shown, [versionName]: row.version } : shown
}
