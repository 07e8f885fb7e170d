/**
 * Makes GraphQL object types from resources. Hidden fields are left out. A field with a `read` rule
 * is null for callers who may not read it. A reference has a second field with its record, or null
 * where the caller may not see it. Declared children are fields with arguments.
 */
import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from 'graphql'
import type { Catalog, LinkRelation, Relation, Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { isRevealed, isShown } from '../../resource/fields/field-facts.ts'
import { deprecationReason } from '../../resource/words/deprecation.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import type { Represented } from '../../value/represent.ts'
import type { GraphqlContext } from '../context.ts'
import type { FilterInputs } from './filter-input.ts'
import type { LeafTypes } from './leaf-types.ts'
import { linkFieldsOf } from './link-types.ts'
import { canField, versionField, versionNameOf } from './record-members.ts'
import { childrenField, listOf, referenceField } from './relation-fields.ts'

export type ObjectTypes = {
  record(resource: Resource): GraphQLObjectType
  /** A page of records with its `meta`, as in REST. */
  page(resource: Resource): GraphQLObjectType
}

type RecordField = GraphQLFieldConfig<Represented, GraphqlContext>

/** The number of embedded records that the cost limit assumes. */
const embeddedReckoned = 10

const metaConfig = {
  description: 'Where a page lies in its list. Walked by cursor, a list has no page numbers and no total.',
  fields: {
    page: { type: GraphQLInt },
    limit: { type: new GraphQLNonNull(GraphQLInt) },
    total: { type: GraphQLInt, description: 'Counted only when it, totalPages or hasNextPage is asked for.' },
    totalPages: { type: GraphQLInt },
    hasNextPage: { type: GraphQLBoolean },
    hasPrevPage: { type: GraphQLBoolean },
    nextCursor: { type: GraphQLString, description: 'Send it as cursor for the next page; null on the last.' },
  },
}

type ObjectTypesDeps = { readonly leaves: LeafTypes; readonly filters: FilterInputs; readonly names: TypeNames }

function nonNull(type: GraphQLOutputType): GraphQLOutputType {
  return type instanceof GraphQLNonNull ? type : new GraphQLNonNull(type)
}

function reasonOf({ deprecated }: Field): string | undefined {
  return deprecated && deprecationReason(deprecated)
}

export function makeObjectTypes(catalog: Catalog, { leaves, filters, names }: ObjectTypesDeps): ObjectTypes {
  const meta = new GraphQLObjectType({ name: names.of(['ListMeta']), ...metaConfig })
  const records = new Map<Resource, GraphQLObjectType>()
  const pages = new Map<Resource, GraphQLObjectType>()

  function typeOf(resource: Resource, name: string, field: Field): GraphQLOutputType {
    if (field.virtual?.kind === 'embedded') return listOf(record(catalog.get(field.virtual.resource)))
    return leaves.shownOf(resource, name)
  }

  function fieldOf(resource: Resource, name: string, field: Field): RecordField {
    if (isRevealed(field))
      return {
        type: leaves.of(resource, name),
        description: 'Shown once, in the answer that made it; null ever after.',
      }
    const type = typeOf(resource, name, field)
    const nullable = field.nullable || field.read !== undefined
    const extensions =
      field.virtual?.kind === 'embedded'
        ? { records: embeddedReckoned }
        : { characters: field.type.lengthMax?.(field) ?? 0 }
    return { type: nullable ? type : nonNull(type), extensions, deprecationReason: reasonOf(field) }
  }

  function relationField(resource: Resource, link: Relation): RecordField {
    const type = record(link.resource)
    if (link.kind === 'reference') return referenceField(link, type)
    const args = link.kind === 'children' ? filters.arguments(link.resource) : {}
    return childrenField(resource, link, { type, args })
  }

  function linksOf(resource: Resource, name: string): Readonly<Record<string, RecordField>> {
    const link = resource.links[name] as LinkRelation
    return linkFieldsOf({ leaves, names }, { resource, name, link }, record(link.target))
  }

  /** The record of a reference follows its field; children come last. */
  function fieldsOf(resource: Resource): Record<string, RecordField> {
    const fields: Record<string, RecordField> = {}
    const links = Object.entries(resource.relations)
    for (const name of resource.fieldNames) {
      const field = resource.fields[name] as Field
      if (!isShown(field) && !isRevealed(field)) continue
      if (resource.links[name]) Object.assign(fields, linksOf(resource, name))
      else fields[name] = fieldOf(resource, name, field)
      const [relation, link] = links.find(([, one]) => one.kind === 'reference' && one.by === name) ?? []
      if (relation !== undefined && link) fields[relation] = relationField(resource, link)
    }
    for (const [name, link] of links) if (!fields[name]) fields[name] = relationField(resource, link)
    if (resource.can) fields[resource.can.name] = canField(resource, resource.can, names)
    fields[versionNameOf(resource)] = versionField
    return fields
  }

  function record(resource: Resource): GraphQLObjectType {
    const known = records.get(resource)
    if (known) return known
    const type = new GraphQLObjectType({ name: resource.typeName, fields: () => fieldsOf(resource) })
    records.set(resource, type)
    return type
  }

  function page(resource: Resource): GraphQLObjectType {
    const known = pages.get(resource)
    if (known) return known
    const type = new GraphQLObjectType({
      name: names.of([resource.typeName, 'List'], resource.name),
      extensions: { isPage: true },
      fields: () => ({ data: { type: listOf(record(resource)) }, meta: { type: new GraphQLNonNull(meta) } }),
    })
    pages.set(resource, type)
    return type
  }
  return { record, page }
}
