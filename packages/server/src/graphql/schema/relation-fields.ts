/**
 * Relations as fields of a record type: the record of a reference, and children with the arguments
 * of their list. Both are loaded in batches.
 */
import {
  type FieldNode,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
} from 'graphql'
import { parseLimit } from '../../operation/page.ts'
import type { Relation, Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import { isOfOne } from '../../resource/relations/relations.ts'
import type { Represented } from '../../value/represent.ts'
import type { GraphqlContext } from '../context.ts'
import { namesBelow } from '../documents/selection.ts'
import type { FieldArguments } from './list-arguments.ts'
import { selectedMembers } from './record-members.ts'

export type RecordField = GraphQLFieldConfig<Represented, GraphqlContext>

export function listOf(type: GraphQLObjectType): GraphQLNonNull<GraphQLList<GraphQLNonNull<GraphQLObjectType>>> {
  return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)))
}

/**
 * GraphQL fields → the fields of the record that they need: the one of the same name, or the
 * reference behind a relation.
 */
export function recordNames(resource: Resource, asked: ReadonlySet<string>): string[] {
  const needed = new Set<string>()
  for (const name of asked) {
    const link = resource.fields[name] && !resource.links[name] ? undefined : resource.relations[name]
    if (link) needed.add(link.kind === 'reference' ? link.by : resource.idField)
  }
  // The links of a record are loaded by its id, with the records that they name.
  if (resource.linkNames.length > 0) needed.add(resource.idField)
  return resource.fieldNames.filter((name) => (asked.has(name) && !resource.links[name]) || needed.has(name))
}

function loadedNames(target: Resource, asked: ReadonlySet<string>): readonly string[] {
  const members = Object.values(selectedMembers(target, asked)).filter((name) => name !== undefined)
  return [target.idField, ...recordNames(target, asked), ...members]
}

const orNone = 'Null where there is none that you may see.'

export function referenceField({ by, resource: target }: Relation, type: GraphQLObjectType): RecordField {
  return {
    type,
    description: orNone,
    // biome-ignore lint/complexity/useMaxParams: the executor calls resolvers so
    resolve(source, _args, { loaders }, info) {
      const id = source[by]
      if (id === null || id === undefined) return null
      return loaders.of(source).one(target, id as Scalar, loadedNames(target, namesBelow(info)))
    },
  }
}

type LinkedField = {
  /** The record with the links. */
  readonly source: Represented
  readonly resource: Resource
  readonly name: string
  readonly limit: number
  readonly target: Resource
  /** Of each linked record. */
  readonly asked: ReadonlySet<string>
}

export const limitOfField = ({ limit }: FieldArguments): number =>
  parseLimit(limit === undefined || limit === null ? undefined : String(limit))

/** The records that a field of links names. */
export function linkedRecords(
  { loaders }: GraphqlContext,
  { source, resource, name, limit, target, asked }: LinkedField,
): Promise<readonly Represented[]> {
  const id = source[resource.idField] as Scalar
  return loaders.of(source).linked(resource, id, { name, limit, names: loadedNames(target, asked) })
}

type ListedType = { readonly type: GraphQLObjectType; readonly args: GraphQLFieldConfigArgumentMap }

/** The children of a record: a page of their list from its beginning, or the single one. */
export function childrenField(parent: Resource, link: Relation, { type, args }: ListedType): RecordField {
  const { resource: target } = link
  const isOne = isOfOne(link)
  const { page: _, cursor: __, ...taken } = args
  const records = ({ limit }: FieldArguments) => parseLimit(limit === undefined ? undefined : String(limit))
  return {
    type: isOne ? type : listOf(type),
    description: isOne ? (link.kind === 'one' ? orNone : 'Null where you may not see it.') : 'Those that you may see.',
    args: taken,
    extensions: isOne ? {} : { records },
    // biome-ignore lint/complexity/useMaxParams: the executor calls resolvers so
    async resolve(source, args, { loaders }, info) {
      const names = loadedNames(target, namesBelow(info))
      const found = await loaders.of(source).below(parent, source[parent.idField] as Scalar, {
        link,
        args,
        names,
        node: info.fieldNodes[0] as FieldNode,
      })
      return isOne ? (found[0] ?? null) : found
    },
  }
}
