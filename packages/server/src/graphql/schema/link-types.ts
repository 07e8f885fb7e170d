/**
 * GraphQL's types of links: the input that sets, adds and removes them, and the field with the
 * linked records. Links with values of their own have a second field.
 */
import {
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLScalarType,
} from 'graphql'
import { listLimits } from '../../operation/list-limits.ts'
import type { LinkRelation, Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { linkMember } from '../../resource/fields/many-to-many.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import { memberBeside } from '../../resource/words/reserved-words.ts'
import type { Represented } from '../../value/represent.ts'
import { namesBelow } from '../documents/selection.ts'
import type { LeafTypes } from './leaf-types.ts'
import { limitOfField, linkedRecords, listOf, type RecordField } from './relation-fields.ts'

type LinkTypesDeps = { readonly leaves: LeafTypes; readonly names: TypeNames }
type NamedLinks = { readonly resource: Resource; readonly name: string; readonly link: LinkRelation }

type ItemInput = GraphQLScalarType | GraphQLInputObjectType
const some = (type: ItemInput) => new GraphQLList(new GraphQLNonNull(type))

function itemInput({ leaves, names }: LinkTypesDeps, { resource, link }: NamedLinks): ItemInput {
  const { table, valueNames } = link
  if (valueNames.length === 0) return GraphQLID
  const values = valueNames.map((one) => [one, { type: leaves.valueOf(table, one) }] as const)
  return new GraphQLInputObjectType({
    name: names.of([table.typeName, 'Item'], resource.name),
    fields: { id: { type: new GraphQLNonNull(GraphQLID) }, ...Object.fromEntries(values) },
  })
}

/** Of a body: all links, or those to add and to remove. */
export function makeLinkInputs(deps: LinkTypesDeps): (resource: Resource, name: string) => GraphQLInputObjectType {
  const known = new Map<LinkRelation, GraphQLInputObjectType>()
  return (resource, name) => {
    const link = resource.links[name] as LinkRelation
    const made = known.get(link)
    if (made) return made
    const item = itemInput(deps, { resource, name, link })
    const type = new GraphQLInputObjectType({
      name: deps.names.of([link.table.typeName, 'Input'], resource.name),
      description: 'Either set alone, or add and remove.',
      fields: {
        set: { type: some(item), description: 'All links from now on.' },
        add: { type: some(item), description: 'A link that is there already takes the sent values.' },
        remove: { type: some(GraphQLID), description: 'The ids of linked records.' },
      },
    })
    known.set(link, type)
    return type
  }
}

const limitArgument = {
  limit: {
    type: GraphQLInt,
    description: `${listLimits.pageSize} unless said, ${listLimits.pageSizeMax} at most.`,
  },
}

/** The linked records that the caller may see. */
function recordsField({ resource, name, link }: NamedLinks, type: GraphQLObjectType): RecordField {
  return {
    type: listOf(type),
    description: 'Those that you may see.',
    args: limitArgument,
    extensions: { records: limitOfField },
    // biome-ignore lint/complexity/useMaxParams: the executor calls resolvers so
    resolve: (source, args, context, info) =>
      linkedRecords(context, {
        ...{ source, resource, name, limit: limitOfField(args) },
        ...{ asked: namesBelow(info), target: link.target },
      }),
  }
}

/** The links with their values, each with its record. */
function linksField({ leaves }: LinkTypesDeps, named: NamedLinks, type: GraphQLObjectType): RecordField {
  const { resource, name, link } = named
  const { table, target, valueNames } = link
  const record = memberBeside(table.fields, 'record')
  const values = valueNames.map((one) => {
    const leaf = leaves.valueOf(table, one)
    const { nullable, type: of } = table.fields[one] as Field
    const shown = nullable ? leaf : new GraphQLNonNull(leaf)
    return [one, { type: shown, extensions: { characters: of.lengthMax?.(table.fields[one] as Field) ?? 0 } }] as const
  })
  const linkType = new GraphQLObjectType({
    name: table.typeName,
    description: `A link of ${name}: its values, and the record that it names.`,
    fields: () => ({ ...Object.fromEntries(values), [record]: { type: new GraphQLNonNull(type) } }),
  })
  return {
    type: listOf(linkType),
    description: 'The links to those that you may see.',
    args: limitArgument,
    extensions: { records: limitOfField },
    // biome-ignore lint/complexity/useMaxParams: the executor calls resolvers so
    async resolve(source, args, context, info) {
      const found = await linkedRecords(context, {
        ...{ source, resource, name, limit: limitOfField(args) },
        ...{ asked: namesBelow(info, record), target },
      })
      return found.map((one) => ({ ...(one[linkMember] as Represented), [record]: one }))
    },
  }
}

/** The fields of a record for one field of links. */
export function linkFieldsOf(
  deps: LinkTypesDeps,
  named: NamedLinks,
  type: GraphQLObjectType,
): Readonly<Record<string, RecordField>> {
  const { resource, name, link } = named
  const plain = { [name]: recordsField(named, type) }
  if (link.valueNames.length === 0) return plain
  const taken = { ...resource.fields, ...resource.relations }
  return { ...plain, [memberBeside(taken, `${name}Links`)]: linksField(deps, named, type) }
}
