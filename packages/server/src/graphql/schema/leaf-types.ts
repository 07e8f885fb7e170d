/**
 * GraphQL's leaf types of fields: scalars, and an enum for each choice. All fields of roles share
 * one enum, which `@auth` uses too.
 */
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  GraphQLScalarType,
  GraphQLString,
} from 'graphql'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Field, FieldType } from '../../resource/fields/field.ts'
import { scansOf } from '../../resource/fields/files/file-scan.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import { inSentence, typeNameOf } from '../../resource/words/names.ts'
import { makeFileType } from './files/file-type.ts'
import { BigIntScalar, CalendarDate, DateTime, Decimal, JsonScalar, LocalTime, Money } from './scalars.ts'

export type LeafType = GraphQLScalarType | GraphQLEnumType
/** Of a value, or of a file. */
type ShownType = LeafType | GraphQLObjectType | GraphQLList<GraphQLNonNull<LeafType | GraphQLObjectType>>

/** Our own scalars get other names where a resource has theirs. */
function makeScalars(names: TypeNames) {
  const named = <T>(scalar: GraphQLScalarType<T>): GraphQLScalarType<T> => {
    const name = names.of([scalar.name])
    return name === scalar.name ? scalar : new GraphQLScalarType({ ...scalar.toConfig(), name })
  }
  return {
    ID: GraphQLID,
    String: GraphQLString,
    Int: GraphQLInt,
    Float: GraphQLFloat,
    Boolean: GraphQLBoolean,
    DateTime: named(DateTime),
    Date: named(CalendarDate),
    LocalTime: named(LocalTime),
    Money: named(Money),
    BigInt: named(BigIntScalar),
    Decimal: named(Decimal),
    JSON: named(JsonScalar),
  }
}
const enumValue = /^(?!(?:true|false|null)$)(?!__)[A-Za-z_][A-Za-z0-9_]*$/

function makeEnum(name: string, values: readonly string[], description: string): GraphQLEnumType {
  return new GraphQLEnumType({ name, description, values: Object.fromEntries(values.map((value) => [value, {}])) })
}

/** A resource, or other values with fields. */
export type LeafOwner = Pick<Resource, 'name' | 'typeName' | 'label' | 'fields'>

export type LeafTypes = {
  readonly role: GraphQLEnumType
  /** The type of sums and averages. */
  readonly scalars: Readonly<Record<NonNullable<FieldType['adds']>['scalar'] | 'JSON' | 'DateTime', GraphQLScalarType>>
  /** The type of one value; of one item, for lists. */
  of(resource: LeafOwner, name: string): LeafType
  /** The type of the whole value. */
  valueOf(resource: LeafOwner, name: string): LeafType | GraphQLList<GraphQLNonNull<LeafType>>
  /** The same as responses have it: a file is an object, which writes name by its id. */
  shownOf(resource: LeafOwner, name: string): ShownType
}

const ordered = 'In rising order: a required role means that role or a higher one.'
const unordered = 'They have no order: each is a set of abilities.'

/** Makes each enum once. */
export function makeLeafTypes(
  names: TypeNames,
  { roles: { names: roles, isOrdered }, resources }: Pick<Catalog, 'roles' | 'resources'>,
): LeafTypes {
  const scalars = makeScalars(names)
  const role = makeEnum(names.of(['Role']), roles, isOrdered ? ordered : unordered)
  const enums = new Map<string, GraphQLEnumType>()
  function enumOf(resource: LeafOwner, name: string, values: readonly string[]): GraphQLEnumType {
    const typeName = names.of([resource.typeName, typeNameOf(name)], `${resource.typeName}.${name}`)
    const known =
      enums.get(typeName) ?? makeEnum(typeName, values, `The ${name} of ${inSentence(resource.label)} records.`)
    enums.set(typeName, known)
    return known
  }
  function leafOf(resource: LeafOwner, name: string): LeafType {
    const own = resource.fields[name] as Field
    const { type, values } = own.type.item ?? own
    if (type.scalar === null) throw new Error(`${resource.name}.${name} is no leaf`)
    if (!values?.every((value) => enumValue.test(value))) return scalars[type.scalar]
    return values.length === roles.length && roles.every((one) => values.includes(one))
      ? role
      : enumOf(resource, name, values)
  }
  let fileType: GraphQLObjectType | undefined
  function sentOf(resource: LeafOwner, name: string) {
    const leaf = leafOf(resource, name)
    const { type } = resource.fields[name] as Field
    return type.item || type.holdsFiles === 'many' ? new GraphQLList(new GraphQLNonNull(leaf)) : leaf
  }
  return {
    role,
    scalars,
    of: leafOf,
    valueOf: sentOf,
    shownOf(resource, name) {
      const holds = resource.fields[name]?.type.holdsFiles
      if (!holds) return sentOf(resource, name)
      fileType ??= makeFileType(names, { hasScans: [...resources.values()].some((one) => scansOf(one).length > 0) })
      return holds === 'one' ? fileType : new GraphQLList(new GraphQLNonNull(fileType))
    },
  }
}
