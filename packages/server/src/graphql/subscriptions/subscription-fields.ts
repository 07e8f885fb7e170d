/**
 * The fields of subscriptions: `notes(state: OPEN): NoteEvent!`. They take the filters of the list,
 * and tell what its live stream tells. An event shows its record by the type of all records, so
 * that clients merge it by its id.
 */
import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql'
import { pagingParameters } from '../../resource/list-style.ts'
import type { Resource } from '../../resource/resolved-resource.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import { inSentence, labelOf } from '../../resource/words/names.ts'
import { memberBeside } from '../../resource/words/reserved-words.ts'
import type { GraphqlContext } from '../context.ts'
import type { RootField } from '../root.ts'
import type { FilterInputs } from '../schema/filter-input.ts'
import type { LeafTypes } from '../schema/leaf-types.ts'
import type { FieldArguments } from '../schema/list-arguments.ts'
import type { ObjectTypes } from '../schema/object-types.ts'

type Config = GraphQLFieldConfig<unknown, GraphqlContext, FieldArguments>

export type SubscriptionFields = {
  /** The configuration of the field besides its guard. */
  config(root: RootField): Pick<Config, 'type' | 'args' | 'description' | 'resolve' | 'extensions'>
}

type SubscriptionFieldsDeps = {
  readonly leaves: LeafTypes
  readonly filters: FilterInputs
  readonly outputs: ObjectTypes
  readonly names: TypeNames
}

/** The events of a live stream, in the order in which they may come. */
const events = {
  RECORD: 'A record of the list with which it begins. READY follows all of them.',
  READY: 'All records have come; each change from here on is an event.',
  ENTER: 'The record is in the list now.',
  CHANGE: 'The record has changed in the list.',
  LEAVE: 'The record is there no more, and may still exist.',
  DELETE: 'The record is gone.',
  LOST: 'Forget what you have: records and READY follow, or the stream ends and you connect again without a position.',
  END: 'The server restarts: connect again with this position.',
}

/** A filter of the list may have that name. */
export const afterName = ({ list }: Pick<Resource, 'list'>): string => memberBeside(list.filters, 'after')

const isOfPages = (name: string) => name === 'sort' || pagingParameters.includes(name)

export function makeSubscriptionFields(deps: SubscriptionFieldsDeps): SubscriptionFields {
  const { leaves, filters, outputs, names } = deps
  const { JSON: json, DateTime: dateTime } = leaves.scalars
  let kinds: GraphQLEnumType | undefined

  function kindOf(): GraphQLEnumType {
    kinds ??= new GraphQLEnumType({
      name: names.of(['Event', 'Type']),
      description: 'The fate of a record, or of the stream.',
      values: Object.fromEntries(Object.entries(events).map(([name, description]) => [name, { description }])),
    })
    return kinds
  }
  function typeOf(resource: Resource): GraphQLObjectType {
    const many = inSentence(labelOf(resource.plural))
    return new GraphQLObjectType({
      name: names.of([resource.typeName, 'Event'], `event of ${resource.name}`),
      description: `A change in a list of ${many}.`,
      fields: {
        type: { type: new GraphQLNonNull(kindOf()), description: 'The kind of the event.' },
        id: { type: leaves.shownOf(resource, resource.idField), description: 'The id of the record.' },
        version: {
          type: GraphQLInt,
          description: 'The version that the write made; null where another record moved this one.',
        },
        record: {
          type: outputs.record(resource),
          description: 'The record as it is now: its id, and the fields that changes of the declaration keep.',
        },
        before: { type: json, description: 'The former values of the fields that have changed; for CHANGE.' },
        at: { type: dateTime, description: 'The time of the write.' },
        transaction: { type: GraphQLString, description: 'The same for all events of one transaction.' },
        last: { type: GraphQLBoolean, description: 'True for the last event of its transaction.' },
        position: {
          type: GraphQLString,
          description: 'The position behind READY, END and the last event of a transaction.',
        },
        resumed: { type: GraphQLBoolean, description: 'True in READY where the stream goes on from a position.' },
        message: { type: GraphQLString, description: 'A sentence for LOST and END.' },
      },
    })
  }
  function argumentsOf(resource: Resource): GraphQLFieldConfigArgumentMap {
    const own = Object.entries(filters.arguments(resource)).filter(([name]) => !isOfPages(name))
    const after = { type: GraphQLString, description: 'Go on behind this position, without the records before it.' }
    return { ...Object.fromEntries(own), [afterName(resource)]: after }
  }
  return {
    config({ target: { resource } }) {
      return {
        type: new GraphQLNonNull(typeOf(resource)),
        args: argumentsOf(resource),
        description: `The ${inSentence(labelOf(resource.plural))} of the list, and each change of them.`,
        resolve: (event) => event,
        extensions: { followed: resource },
      }
    },
  }
}
