/**
 * Resources → object types. A hidden field is left out; a field with a `read` rule is null for those who may not read it; a reference
 * also gives the record that it refers to, or null where the caller may not see it.
 */
import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from 'graphql'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import { deprecationReason } from '../resource/deprecation.ts'
import type { Field } from '../resource/fields/field.ts'
import { isRevealed, isShown } from '../resource/fields/field-facts.ts'
import type { Row } from '../storage/storage.ts'
import type { Represented } from '../value/represent.ts'
import type { Context } from './context.ts'
import type { Leaves } from './leaf.ts'
import { namesBelow } from './selection.ts'

export type Outputs = {
  record(resource: Resource): GraphQLObjectType
  /** A page of records with its `meta`, as in REST. */
  page(resource: Resource): GraphQLObjectType
}

type RecordField = GraphQLFieldConfig<Represented, Context>

/** How many embedded records the cost limit assumes. */
const embeddedReckoned = 10

/** `ownerId` → `owner`; undefined when the record has no field of its own for it. */
function relationName(resource: Resource, name: string): string | undefined {
  const relation = /^(.+)Id$/.exec(name)?.[1] ?? `${name}Record`
  return resource.fields[relation] ? undefined : relation
}

/** GraphQL fields → the fields of the record that they need: the one of the same name, or the reference behind a relation. */
export function recordNames(resource: Resource, asked: ReadonlySet<string>): string[] {
  return resource.fieldNames.filter((name) => {
    if (asked.has(name)) return true
    const relation = resource.fields[name]?.reference && relationName(resource, name)
    return relation !== undefined && asked.has(relation)
  })
}

/** No field of a declaration has this name. It comes last in the records' types. */
export const versionName = 'version'
const versionField: RecordField = {
  type: GraphQLInt,
  description: 'Send it with a write that is for this version alone. Null in records that are parts of another.',
  extensions: { characters: 0 },
}

/** The record as it is shown, with its version where that is asked for. */
export function withVersion<R extends object>(shown: R, row: Row, asked: ReadonlySet<string>): R {
  return asked.has(versionName) ? { ...shown, [versionName]: row.version } : shown
}

const meta = new GraphQLObjectType({
  name: 'ListMeta',
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
})

function nonNull(type: GraphQLOutputType): GraphQLOutputType {
  return type instanceof GraphQLNonNull ? type : new GraphQLNonNull(type)
}

function reasonOf({ deprecated }: Field): string | undefined {
  return deprecated && deprecationReason(deprecated)
}

export function makeOutputs(catalog: Catalog, leaves: Leaves): Outputs {
  const records = new Map<Resource, GraphQLObjectType>()
  const pages = new Map<Resource, GraphQLObjectType>()

  function typeOf(resource: Resource, name: string, field: Field): GraphQLOutputType {
    if (field.virtual?.kind === 'embedded') return listOf(record(catalog.get(field.virtual.resource)))
    return leaves.valueOf(resource, name)
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

  function relationOf(name: string, target: Resource): RecordField {
    return {
      type: record(target),
      description: 'Null where there is none that you may see.',
      // biome-ignore lint/complexity/useMaxParams: the executor calls resolvers so
      resolve(source, _args, { load }, info) {
        const id = source[name]
        if (id === null || id === undefined) return null
        const asked = namesBelow(info)
        const version = asked.has(versionName) ? [versionName] : []
        return load(target, id as Scalar, [target.idField, ...version, ...recordNames(target, asked)])
      },
    }
  }

  function fieldsOf(resource: Resource): Record<string, RecordField> {
    const fields: Record<string, RecordField> = {}
    for (const name of resource.fieldNames) {
      const field = resource.fields[name] as Field
      if (!isShown(field) && !isRevealed(field)) continue
      fields[name] = fieldOf(resource, name, field)
      const target = field.reference && catalog.get(field.reference.resource)
      const relation = relationName(resource, name)
      if (target?.access.get && relation !== undefined) fields[relation] = relationOf(name, target)
    }
    fields[versionName] = versionField
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
      name: `${resource.typeName}List`,
      extensions: { isPage: true },
      fields: () => ({ data: { type: listOf(record(resource)) }, meta: { type: new GraphQLNonNull(meta) } }),
    })
    pages.set(resource, type)
    return type
  }
  return { record, page }
}

function listOf(type: GraphQLObjectType): GraphQLNonNull<GraphQLList<GraphQLNonNull<GraphQLObjectType>>> {
  return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)))
}
