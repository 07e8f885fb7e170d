/**
 * The list arguments that the engine defines: query parameters shared with REST, with GraphQL types
 * and descriptions.
 */
import { type GraphQLArgumentConfig, type GraphQLFieldConfigArgumentMap, GraphQLInt, GraphQLString } from 'graphql'
import { listLimits } from '../../operation/list-limits.ts'
import type { ListSettings } from '../../resource/catalog.ts'
import { type ArgumentName, argumentNames } from '../../resource/list-style.ts'

/** The arguments of a field, as a request gives them. */
export type FieldArguments = Readonly<Record<string, unknown>>

const { pageSize, pageSizeMax } = listLimits

const configs: Readonly<Record<ArgumentName, GraphQLArgumentConfig>> = {
  page: { type: GraphQLInt, description: 'From 1.' },
  limit: { type: GraphQLInt, description: `${pageSize} unless said, ${pageSizeMax} at most.` },
  cursor: { type: GraphQLString, description: 'Empty to begin; then nextCursor of the page before.' },
  sort: {
    type: GraphQLString,
    description: 'Field names separated by commas, each with - before it for descending.',
  },
  q: { type: GraphQLString, description: 'Words that must each begin a word of a searchable field.' },
}

/** The engine's arguments that this list has. */
export function argumentsOf(list: ListSettings): GraphQLFieldConfigArgumentMap {
  return Object.fromEntries(argumentNames(list).map((name) => [name, configs[name]]))
}

/**
 * A list that the declaration narrows has numbered pages only, and sets the default and maximum
 * size of a page itself.
 */
export function narrowedArguments(limit: number): GraphQLFieldConfigArgumentMap {
  return { page: configs.page, limit: { type: GraphQLInt, description: `${limit} unless said, and at most.` } }
}
