/**
 * Describes types, fields and arguments of the schema that have no description, in the words of the
 * OpenAPI document. It changes nothing else.
 */
import {
  type GraphQLArgument,
  GraphQLInputObjectType,
  GraphQLObjectType,
  type GraphQLSchema,
  isIntrospectionType,
} from 'graphql'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import {
  describeField,
  describeFilter,
  describeOperation,
  describeRecord,
  summarize,
} from '../../resource/words/describe-operation.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import { inSentence, labelOf } from '../../resource/words/names.ts'
import { keyOf, type RootField } from '../root.ts'

type DescribedNode = { description?: string | null | undefined }
type SchemaParts = { readonly catalog: Catalog; readonly names: TypeNames; readonly roots: readonly RootField[] }
type DescribeContext = Pick<SchemaParts, 'catalog' | 'names'> & {
  readonly roots: ReadonlyMap<string, RootField>
  /** The types of the schema whose fields are roots. */
  readonly sides: ReadonlyMap<object, RootField['side']>
}

/** Descriptions of names that mean the same everywhere. */
const everywhere: Readonly<Record<string, string>> = {
  id: 'The id of the record.',
  input: 'The values.',
  version: 'The version that was read: with another one nothing is changed.',
  filter: 'Which records to find.',
  data: 'The records of the page.',
  meta: 'Where the page lies in the list.',
  page: 'The number of the page, from 1.',
  limit: 'Records on a page.',
  totalPages: 'Pages that there are.',
  hasNextPage: 'Whether a page follows.',
  hasPrevPage: 'Whether a page comes before.',
  and: 'All of these.',
  or: 'At least one of these.',
  not: 'The opposite of this.',
  eq: 'Equals this.',
  ne: 'Differs from this, or is null.',
  gt: 'Is greater than this.',
  gte: 'Is this or greater.',
  lt: 'Is less than this.',
  lte: 'Is this or less.',
  in: 'Is one of these.',
  contains: 'Contains this, ignoring case.',
  startsWith: 'Starts with this, ignoring case.',
  null: 'Is null (true), or is not (false).',
}

function fill(one: DescribedNode, words: string | undefined): void {
  if (!one.description && words) one.description = words
}

function wordsOf(name: string): string {
  return everywhere[name] ?? `The ${inSentence(labelOf(name))}.`
}

function rootWords({ target: { resource, operation }, steps, hasId, narrow, upserts }: RootField): string {
  if (upserts)
    return `Replace the ${inSentence(resource.label)} that \`on\` finds, or create it. \`on\`: ${[...resource.upsert.keys()].join(' or ')}.`
  const above = steps.map((step) => ({ label: step.resource.label, hasId: step.argument !== undefined }))
  const deed = { resource, operation, above, hasId }
  if (narrow.where) return `${summarize(deed)}, of which only some.`
  return [`${summarize(deed)}.`, describeOperation(deed)].filter((one) => one !== undefined).join(' ')
}

function fillArguments(args: readonly GraphQLArgument[], resource: Resource | undefined): void {
  for (const arg of args) {
    const filter = resource?.list.filters[arg.name]
    fill(arg, filter ? describeFilter(filter) : wordsOf(arg.name))
  }
}

/** The resource of a type: `Product`, `ProductList`, `CreateProductInput`, `ProductFilter`. */
function resourceOf({ catalog, names }: DescribeContext, type: string): Resource | undefined {
  return catalog.resources.get(names.aboutOf(type) ?? '')
}

function typeWords({ catalog }: DescribeContext, name: string, resource: Resource | undefined): string {
  if (name === 'Query') return 'The queries.'
  if (name === 'Mutation') return 'The mutations.'
  if (!resource) return name.endsWith('Filter') ? 'Comparisons of a value.' : `${labelOf(name)}.`
  const many = inSentence(labelOf(resource.plural))
  if (name === resource.typeName) return describeRecord(catalog, resource)
  if (name.endsWith('List')) return `A page of ${many}.`
  if (name.endsWith('Filter')) return `Which ${many} to find.`
  return `The values of “${inSentence(labelOf(name.replaceAll('_', '').replace(/Input$/, '')))}”.`
}

function fieldWords(resource: Resource | undefined, name: string, isFilter: boolean): string {
  const field = resource && Object.hasOwn(resource.fields, name) ? (resource.fields[name] as Field) : undefined
  if (!resource || !field) return wordsOf(name)
  return isFilter ? `Comparisons of \`${name}\`.` : describeField(resource, name, field)
}

function fillType(type: GraphQLObjectType | GraphQLInputObjectType, known: DescribeContext): void {
  const resource = resourceOf(known, type.name)
  fill(type, typeWords(known, type.name, resource))
  const side = known.sides.get(type)
  for (const field of Object.values(type.getFields())) {
    const root = side ? known.roots.get(keyOf({ side, name: field.name })) : undefined
    fill(field, root && rootWords(root))
    fill(field, fieldWords(side ? undefined : resource, field.name, type.name.endsWith('Filter')))
    if ('args' in field) fillArguments(field.args, root?.target.resource)
  }
}

/** The same schema. */
export function describeSchema(schema: GraphQLSchema, { roots, ...parts }: SchemaParts): GraphQLSchema {
  const sides = (['query', 'mutation', 'subscription'] as const).flatMap((side) => {
    const type = schema.getRootType(side)
    return type ? [[type, side] as const] : []
  })
  const known = { ...parts, roots: new Map(roots.map((one) => [keyOf(one), one])), sides: new Map(sides) }
  for (const type of Object.values(schema.getTypeMap())) {
    const hasFields = type instanceof GraphQLObjectType || type instanceof GraphQLInputObjectType
    if (hasFields && !isIntrospectionType(type)) fillType(type, known)
  }
  return schema
}
