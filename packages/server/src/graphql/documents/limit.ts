/**
 * The limits of a GraphQL operation, calculated before it runs: depth, aliases, the fields that it
 * may read, and the text in them. Each fragment is calculated once. So the time is proportional to
 * the length of the document, however its fragments are nested.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { documentError } from '../graphql-error.ts'
import type { FieldArguments } from '../schema/list-arguments.ts'

export const graphqlLimits = {
  tokensMax: 1_000,
  depthMax: 10,
  aliasesMax: 15,
  /** Counted in fields of records. */
  costMax: 10_000,
  /**
   * Characters of texts, by their declared maximum lengths. A page of 100 records with six fields
   * of 5,000 has as many.
   */
  charactersMax: 3_000_000,
  /** Embedded records in one list. Their number is known only after the read. */
  embeddedMax: 10_000,
  /**
   * Bytes of a query's JSON. Texts are mostly shorter than their maximum, so this is the limit that
   * a large response meets.
   */
  answerBytesMax: 2_097_152,
  /** The cost of a root field besides its fields, for its database query. */
  rootCost: 10,
  /**
   * The cost of listing all types of the schema. An operation may do so three times; tools need it
   * once.
   */
  introspectionCost: 3_000,
} as const

type DocumentCost = { readonly cost: number; readonly characters: number }
/** `once` counts once, `each` once for every record of the page that the selection is in. */
type SelectionCost = {
  readonly depth: number
  readonly aliases: number
  readonly once: DocumentCost
  readonly each: DocumentCost
}
type CostCalculator = {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly known: Map<string, SelectionCost>
  readonly variables: FieldArguments
  /** The root type of the operation: Query or Mutation. */
  readonly roots: ReadonlySet<GraphQLNamedType>
}

const none: DocumentCost = { cost: 0, characters: 0 }
const nothing: SelectionCost = { depth: 0, aliases: 0, once: none, each: none }

/** `a` and `times` times `b`. */
function plus(a: DocumentCost, b: DocumentCost, times = 1): DocumentCost {
  return { cost: a.cost + b.cost * times, characters: a.characters + b.characters * times }
}

function fieldOf(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(type) || isInterfaceType(type) ? schema.getField(type, name) : undefined
}

/**
 * The value of a field's integer argument. Anything that is not a number is left for the field to
 * refuse.
 */
function argumentOf({ variables }: CostCalculator, node: FieldNode, name: string): unknown {
  const value = node.arguments?.find((one) => one.name.value === name)?.value
  if (value?.kind === Kind.INT) return Number(value.value)
  return value?.kind === Kind.VARIABLE ? variables[value.name.value] : undefined
}

/** How many records the field may return. */
function recordsOf(
  reckoner: CostCalculator,
  node: FieldNode,
  field: GraphQLField<unknown, unknown> | undefined,
): number {
  const records = field?.extensions.records
  if (typeof records === 'number') return records
  if (typeof records !== 'function') return 1
  const asked = argumentOf(reckoner, node, 'limit')
  // A variable without a value may have a default in the document, so the maximum is assumed.
  const isUnknown = asked === undefined && node.arguments?.some((one) => one.name.value === 'limit')
  return records({ limit: isUnknown ? Number.MAX_SAFE_INTEGER : asked }) as number
}

/**
 * Introspection is exempt from the depth limit: graphql's own rule bounds it, and tools need more
 * than ten levels. Aliases and types count.
 */
function reckonIntrospection(reckoner: CostCalculator, type: GraphQLNamedType, node: FieldNode): SelectionCost {
  const field = fieldOf(reckoner.schema, type, node.name.value)
  const inner = node.selectionSet && field ? reckon(reckoner, getNamedType(field.type), node.selectionSet) : nothing
  const once = plus({ cost: 1, characters: 0 }, inner.once)
  return { depth: 1, aliases: (node.alias ? 1 : 0) + inner.aliases, once, each: none }
}

/**
 * `data` of a page counts once for each record, everything else once. The field above knows the
 * page's size.
 */
function reckonField(reckoner: CostCalculator, type: GraphQLNamedType, node: FieldNode): SelectionCost {
  if (node.name.value.startsWith('__')) return reckonIntrospection(reckoner, type, node)
  const field = fieldOf(reckoner.schema, type, node.name.value)
  const below = field && getNamedType(field.type)
  const inner = node.selectionSet && below ? reckon(reckoner, below, node.selectionSet) : nothing
  const records = recordsOf(reckoner, node, field)
  const isRoot = reckoner.roots.has(type)
  const isPage = below?.extensions.isPage === true
  const isTypes = type.name === '__Schema' && node.name.value === 'types'
  const ownCost = isRoot ? graphqlLimits.rootCost : isTypes ? graphqlLimits.introspectionCost : 1
  const characters = (field?.extensions.characters as number | undefined) ?? 0
  const withOnce = plus({ cost: ownCost, characters }, inner.once, isPage ? 1 : records)
  const amount = plus(withOnce, inner.each, records)
  const own = { depth: inner.depth + 1, aliases: inner.aliases + (node.alias ? 1 : 0) }
  return type.extensions.isPage === true && node.name.value === 'data'
    ? { ...own, once: none, each: amount }
    : { ...own, once: amount, each: none }
}

function reckonFragment(reckoner: CostCalculator, name: string): SelectionCost {
  const known = reckoner.known.get(name)
  if (known) return known
  const fragment = reckoner.fragments.get(name)
  const type = fragment && reckoner.schema.getType(fragment.typeCondition.name.value)
  const reckoning = type ? reckon(reckoner, type, fragment.selectionSet) : nothing
  reckoner.known.set(name, reckoning)
  return reckoning
}

function reckon(reckoner: CostCalculator, type: GraphQLNamedType, set: SelectionSetNode): SelectionCost {
  let { depth, aliases, once, each } = nothing
  for (const selection of set.selections) {
    let one: SelectionCost
    if (selection.kind === Kind.FIELD) one = reckonField(reckoner, type, selection)
    else if (selection.kind === Kind.FRAGMENT_SPREAD) one = reckonFragment(reckoner, selection.name.value)
    else {
      const condition = selection.typeCondition && reckoner.schema.getType(selection.typeCondition.name.value)
      one = reckon(reckoner, condition ?? type, selection.selectionSet)
    }
    depth = Math.max(depth, one.depth)
    aliases += one.aliases
    once = plus(once, one.once)
    each = plus(each, one.each)
  }
  return { depth, aliases, once, each }
}

function refuse(problem: string) {
  return documentError(problem, 'GRAPHQL_VALIDATION_FAILED')
}

type LimitedDocument = {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly variables: FieldArguments
}

/** Throws a `GraphQLError` for an operation over a limit. Expects a validated document. */
export function checkLimits(schema: GraphQLSchema, { document, operation, variables }: LimitedDocument): void {
  const type = schema.getRootType(operation.operation)
  if (!type) return
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const one of document.definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one)
  const { depth, aliases, once } = reckon(
    { schema, fragments, known: new Map(), variables, roots: new Set([type]) },
    type,
    operation.selectionSet,
  )
  const { depthMax, aliasesMax, costMax, charactersMax } = graphqlLimits
  if (depth > depthMax) throw refuse(`The operation is deeper than ${depthMax} levels`)
  if (aliases > aliasesMax) throw refuse(`The operation has more than ${aliasesMax} aliases`)
  if (once.cost > costMax)
    throw refuse(`The operation may read more than ${costMax} fields; ask for fewer records or fields`)
  if (once.characters > charactersMax)
    throw refuse(`The operation may read more than ${charactersMax} characters; ask for fewer records or fields`)
}
