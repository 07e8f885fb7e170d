/**
 * The difference of two versions beside each list of them: `thingHistoryDifference(thingId: "…",
 * from: 3) { fields from { title } to { title } }`. The selection names the values that it shows.
 */
import {
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql'
import { perform } from '../../perform/perform.ts'
import type { Resource } from '../../resource/catalog.ts'
import { isHistory } from '../../resource/made/shown-resources.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import type { Row } from '../../storage/storage.ts'
import { representRecord } from '../../value/represent.ts'
import type { GraphqlContext } from '../context.ts'
import { namesBelow } from '../documents/selection.ts'
import { callerOf, type FieldInfo, underOf } from '../resolve.ts'
import type { RootField } from '../root.ts'
import type { FieldArguments } from './list-arguments.ts'
import type { ObjectTypes } from './object-types.ts'
import { selectedMembers, withMembers } from './record-members.ts'
import { recordNames } from './relation-fields.ts'

type Config = GraphQLFieldConfig<unknown, GraphqlContext, FieldArguments>

export type DifferenceFields = {
  /** The configuration of the list's field besides its guard. Undefined for what is no history. */
  config(root: RootField): Pick<Config, 'type' | 'args' | 'description' | 'resolve' | 'extensions'> | undefined
}

export function differenceNames({ name }: RootField): readonly string[] {
  return [`${name}Difference`, `${name}_difference`]
}

const args = {
  from: { type: new GraphQLNonNull(GraphQLInt), description: 'The historyVersion of one version.' },
  to: { type: GraphQLInt, description: 'That of the other one; the newest by default.' },
}

function makeResolver(root: RootField) {
  const { resource } = root.target
  // biome-ignore lint/complexity/useMaxParams: the executor calls resolvers so
  return async (_source: unknown, given: FieldArguments, context: GraphqlContext, info: FieldInfo) => {
    const { engine, loaders } = context
    const principal = callerOf(root, context.principal, { args: given, context })
    const admission = engine.policy.admit(principal, root.target)
    const { from, to } = given as { from: number; to?: number | null }
    const under = underOf(root, given)
    const operation = { kind: 'difference', resource, under, select: null, from, to: to ?? undefined } as const
    const permitted = engine.policy.permit(admission, operation)
    const result = await perform(engine, permitted)
    if (result.kind !== 'difference') throw new Error(`a difference cannot answer with a ${result.kind}`)
    const shown = (side: 'from' | 'to', row: Row) => {
      const asked = namesBelow(info, side)
      const names = recordNames(resource, asked).filter((name) => permitted.visible.has(name))
      const record = { row, asking: permitted.asking }
      return withMembers(representRecord(resource, names, row), record, selectedMembers(resource, asked))
    }
    const [one, other] = [shown('from', result.from), shown('to', result.to)]
    loaders.readBy(principal, [one, other])
    return { fields: result.fields, from: one, to: other }
  }
}

export function makeDifferenceFields(outputs: ObjectTypes, names: TypeNames): DifferenceFields {
  const types = new Map<Resource, GraphQLObjectType>()
  function typeOf(resource: Resource): GraphQLObjectType {
    const side = { type: new GraphQLNonNull(outputs.record(resource)) }
    const known =
      types.get(resource) ??
      new GraphQLObjectType({
        name: names.of([resource.typeName, 'Difference'], `difference of ${resource.name}`),
        description: 'Two versions of a record, and the fields that differ.',
        fields: {
          fields: {
            type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLString))),
            description: 'The fields that differ, of those that you may read.',
          },
          from: side,
          to: side,
        },
      })
    types.set(resource, known)
    return known
  }
  return {
    config(root) {
      const { resource, operation } = root.target
      if (operation !== 'list' || root.steps.length === 0 || !isHistory(resource)) return undefined
      return {
        type: typeOf(resource),
        args,
        description: 'Compares two versions; either may be the older one.',
        resolve: makeResolver(root),
        extensions: { records: () => 2 },
      }
    },
  }
}
