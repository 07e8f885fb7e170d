/**
 * The version as a field of record types: `version`, or `_version` where a relation has that name.
 * A write names it to apply to that version alone.
 */
import { type GraphQLFieldConfig, GraphQLInt } from 'graphql'
import type { Resource } from '../../resource/catalog.ts'
import { memberBeside } from '../../resource/words/reserved-words.ts'
import type { Row } from '../../storage/storage.ts'
import type { Represented } from '../../value/represent.ts'
import type { GraphqlContext } from '../context.ts'

/** It comes last in the records' types. */
export const versionNameOf = ({ relations }: Pick<Resource, 'relations'>) => memberBeside(relations, 'version')

export const versionField: GraphQLFieldConfig<Represented, GraphqlContext> = {
  type: GraphQLInt,
  description: 'Send it with a write that is for this version alone. Null in records that are parts of another.',
  extensions: { characters: 0 },
}

/** The name of the version where the query selects it. */
export function selectedVersion(resource: Resource, asked: ReadonlySet<string>): string | undefined {
  const name = versionNameOf(resource)
  return asked.has(name) ? name : undefined
}

/** The shown record, with its version under this name. */
export function withVersion<R extends object>(shown: R, row: Row, name: string | undefined): R {
  return name === undefined ? shown : { ...shown, [name]: row.version }
}
