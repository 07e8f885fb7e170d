/**
 * Makes the GraphQL schema from the catalog alone. It knows no resource by name and holds no
 * engine: resolvers get theirs from the context.
 */
import {
  type GraphQLArgumentConfig,
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLString,
  specifiedDirectives,
} from 'graphql'
import { StartError } from '../../errors.ts'
import { admittedRoles } from '../../policy/passing-roles.ts'
import { ruleOfTarget } from '../../policy/rule-of.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { shownResources } from '../../resource/made/shown-resources.ts'
import { isBodyKind } from '../../resource/operation-kind.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import { deprecationOf, deprecationReason } from '../../resource/words/deprecation.ts'
import { engineTypes, makeTypeNames } from '../../resource/words/document-names.ts'
import { typeNameOf } from '../../resource/words/names.ts'
import type { GraphqlContext } from '../context.ts'
import { limitOf, makeResolver } from '../resolve.ts'
import { makeRootFields, makeSubscriptionRoots, type RootField, withoutPath } from '../root.ts'
import { makeSubscriptionFields, type SubscriptionFields } from '../subscriptions/subscription-fields.ts'
import { authArguments, authDirective, needsList } from './auth-directive.ts'
import { describeSchema } from './describe-schema.ts'
import { type DifferenceFields, differenceNames, makeDifferenceFields } from './difference-fields.ts'
import { type FilterInputs, makeFilterInputs } from './filter-input.ts'
import { type InputTypes, makeInputTypes } from './input-types.ts'
import { makeLeafTypes } from './leaf-types.ts'
import type { FieldArguments } from './list-arguments.ts'
import { narrowedArguments } from './list-arguments.ts'
import { makeObjectTypes, type ObjectTypes } from './object-types.ts'
import { permissionField } from './permission-fields.ts'
import { makeSummaryFields, type SummaryFields, summaryNames } from './summary-fields.ts'
import { makeValueTypes, type ValueTypes } from './value-types.ts'

type RootConfig = GraphQLFieldConfig<unknown, GraphqlContext, FieldArguments>
type MakeSchemaDeps = {
  readonly catalog: Catalog
  readonly settings: ServiceSettings
  readonly outputs: ObjectTypes
  readonly inputs: InputTypes
  readonly filters: FilterInputs
  readonly summaries: SummaryFields
  readonly differences: DifferenceFields
  readonly values: ValueTypes
}

const idArgument: GraphQLArgumentConfig = { type: new GraphQLNonNull(GraphQLID) }

/** Operations that take a version; actions may too. */
const conditional: ReadonlySet<string> = new Set(['replace', 'update', 'delete'])
/**
 * The write applies to this version alone. A description would put each argument of each mutation
 * on a line of its own.
 */
const versionArgument: GraphQLArgumentConfig = { type: GraphQLInt }

function inputArgument(
  { inputs }: MakeSchemaDeps,
  resource: Resource,
  operation: string,
): GraphQLFieldConfigArgumentMap {
  if (isBodyKind(operation)) {
    const type = inputs.body(resource, operation)
    return type ? { input: { type: new GraphQLNonNull(type) } } : {}
  }
  const type = resource.actionNames.includes(operation) ? inputs.action(resource, operation) : undefined
  if (!type) return {}
  const needed = Object.values(resource.actions[operation]?.input ?? {}).some((field) => field.required)
  return { input: { type: needed ? new GraphQLNonNull(type) : type } }
}

function listArguments({ filters }: MakeSchemaDeps, root: RootField): GraphQLFieldConfigArgumentMap {
  if (root.narrow.limit === undefined) return filters.arguments(root.target.resource)
  return narrowedArguments(limitOf(root, undefined))
}

/** The record by its id, or by one of the fields that name it. */
function recordArguments(root: RootField): GraphQLFieldConfigArgumentMap {
  if (!root.hasId) return {}
  if (root.keys.length === 0) return { id: idArgument }
  return { id: { type: GraphQLID }, ...Object.fromEntries(root.keys.map((name) => [name, { type: GraphQLString }])) }
}

function argumentsOf(deps: MakeSchemaDeps, root: RootField): GraphQLFieldConfigArgumentMap {
  const { resource, operation } = root.target
  const above = root.steps.flatMap(({ argument }) => (argument === undefined ? [] : [[argument, idArgument] as const]))
  const own =
    operation === 'list' ? withoutPath(root, listArguments(deps, root)) : inputArgument(deps, resource, operation)
  // A field that only returns whether it succeeded has the arguments of its declaration.
  const isConditional =
    root.narrow.returns !== 'success' &&
    (root.upserts || conditional.has(operation) || resource.actionNames.includes(operation))
  const version: GraphQLFieldConfigArgumentMap = isConditional ? { version: versionArgument } : {}
  const key: GraphQLFieldConfigArgumentMap = root.upserts ? { on: { type: new GraphQLNonNull(GraphQLString) } } : {}
  return { ...Object.fromEntries(above), ...recordArguments(root), ...key, ...own, ...version }
}

/**
 * The type that a root field returns. The current user, pages, and records that the declaration
 * says so of are never null. Any other field is nullable, so that its error leaves the other
 * results. Mutations need that most, because their writes are stored.
 */
function typeOf({ catalog, outputs, values }: MakeSchemaDeps, { target, narrow }: RootField): GraphQLOutputType {
  const { resource, operation } = target
  if (narrow.returns === 'success') return GraphQLBoolean
  const fields = resource.actions[operation]?.output
  if (fields) return values.output({ words: [typeNameOf(operation), resource.typeName], label: resource.label, fields })
  const returned = catalog.get(resource.actions[operation]?.returns ?? resource.name)
  const record = outputs.record(returned)
  if (operation === 'list') {
    return narrow.returns === 'list'
      ? new GraphQLList(new GraphQLNonNull(record))
      : new GraphQLNonNull(outputs.page(resource))
  }
  return narrow.nonNull || narrow.returns === 'self' ? new GraphQLNonNull(record) : record
}

function describe({ target, narrow, upserts }: RootField): string | undefined {
  const { resource, operation } = target
  if (narrow.returns === 'self') return 'The current user.'
  if (operation === 'replace' || upserts) return 'Fields that are left out take their defaults.'
  if (operation === 'update') return 'Only what is sent changes; null clears.'
  if (operation === 'delete') return narrow.returns === 'success' ? undefined : 'The record as it was.'
  return resource.actions[operation]?.summary
}

function reasonOf({ target: { resource, operation } }: RootField): string | undefined {
  const deprecation = deprecationOf(resource, operation)
  return deprecation && deprecationReason(deprecation)
}

function configOf(deps: MakeSchemaDeps, root: RootField): RootConfig {
  const admitted = admittedTo(deps, root)
  const auth = admitted && { directives: { auth: authArguments(deps.catalog.roles, admitted) } }
  const records =
    root.target.operation === 'list' ? { records: (args: FieldArguments) => limitOf(root, args.limit) } : {}
  return {
    type: typeOf(deps, root),
    args: argumentsOf(deps, root),
    description: describe(root),
    deprecationReason: reasonOf(root),
    resolve: makeResolver(root),
    extensions: { ...auth, ...records },
  }
}

/** The roles that may ask this field; null when no credential is needed. */
function admittedTo({ catalog, settings }: MakeSchemaDeps, { target, narrow }: RootField): readonly string[] | null {
  const admitted = admittedRoles(ruleOfTarget(target), { catalog, settings, resource: target.resource })
  return narrow.returns === 'self' ? (admitted ?? catalog.roles.names) : admitted
}

/**
 * The references that arguments set in every mutation that writes such a record: it has no mutation
 * without a parent.
 */
function givenBy(roots: readonly RootField[]): (resource: Resource, kind: string) => ReadonlySet<string> {
  return (resource, kind) => {
    const own = roots.filter(({ target }) => target.resource === resource && target.operation === kind)
    const names = own.map(({ by }) => by).filter((name) => name !== undefined)
    return new Set(names.length === own.length ? names : [])
  }
}

/** A resource without changeable fields has no update. */
function isPossible({ inputs }: MakeSchemaDeps, { target }: RootField): boolean {
  const { resource, operation } = target
  return !isBodyKind(operation) || inputs.body(resource, operation) !== undefined
}

/**
 * The fields beside a list, its summary and the difference of versions, with the guard of the list.
 * Each has another name where a field has its own.
 */
function besideLists(deps: MakeSchemaDeps, roots: readonly RootField[]): [name: string, RootConfig][] {
  const taken = new Set(roots.map(({ name }) => name))
  const { summaries, differences } = deps
  const kinds = [
    [summaries, summaryNames],
    [differences, differenceNames],
  ] as const
  return kinds.flatMap(([fields, namesOf]) =>
    roots.flatMap((root): [string, RootConfig][] => {
      const own = fields.config(root)
      const name = namesOf(root).find((one) => !taken.has(one))
      if (!own || name === undefined) return []
      taken.add(name)
      const list = configOf(deps, root)
      const above = Object.entries(list.args ?? {}).filter(([name]) =>
        root.steps.some(({ argument }) => argument === name),
      )
      const args = { ...Object.fromEntries(above), ...own.args }
      return [[name, { ...list, ...own, args, extensions: { ...list.extensions, ...own.extensions } }]]
    }),
  )
}

type SubscriptionParts = {
  readonly followed: readonly RootField[]
  readonly fields: SubscriptionFields
  readonly name: string
}
type RootFields = { readonly fields: readonly RootField[]; readonly own?: readonly (readonly [string, RootConfig])[] }

function rootType(deps: MakeSchemaDeps, name: string, { fields, own = [] }: RootFields): GraphQLObjectType | undefined {
  if (fields.length === 0) return undefined
  return new GraphQLObjectType({
    name,
    fields: Object.fromEntries([
      ...fields.map((root) => [root.name, configOf(deps, root)]),
      ...besideLists(deps, fields),
      ...own,
    ]),
  })
}

/** Undefined where no resource keeps its changes. */
function subscriptionType(
  deps: MakeSchemaDeps,
  { followed, fields, name }: SubscriptionParts,
): GraphQLObjectType | undefined {
  if (followed.length === 0) return undefined
  const configs = followed.map((root): [string, RootConfig] => {
    const [list, own] = [configOf(deps, root), fields.config(root)]
    return [root.name, { ...list, ...own, extensions: { ...list.extensions, records: undefined, ...own.extensions } }]
  })
  return new GraphQLObjectType({ name, description: 'The subscriptions.', fields: Object.fromEntries(configs) })
}

/** Throws `StartError` for declarations that make no valid schema. */
export function makeSchema(catalog: Catalog, settings: ServiceSettings): GraphQLSchema {
  const typeNames = new Map(shownResources(catalog).map(({ name, typeName }) => [name, typeName]))
  const names = makeTypeNames(typeNames, engineTypes)
  const leaves = makeLeafTypes(names, catalog)
  const filters = makeFilterInputs(leaves, names)
  const rootFields = makeRootFields(catalog)
  const values = makeValueTypes(leaves, names)
  const outputs = makeObjectTypes(catalog, { leaves, filters, names })
  const deps: MakeSchemaDeps = {
    catalog,
    settings,
    values,
    outputs,
    inputs: makeInputTypes(leaves, names, { values, givenTo: givenBy(rootFields) }),
    filters,
    summaries: makeSummaryFields(leaves, filters, names),
    differences: makeDifferenceFields(outputs, names),
  }
  const roots = rootFields.filter((root) => isPossible(deps, root))
  const guards = roots.map((root) => admittedTo(deps, root)).filter((admitted) => admitted !== null)
  const hasLists = guards.some((admitted) => needsList(catalog.roles, admitted))
  const queries = roots.filter((root) => root.side === 'query')
  const mutations = roots.filter((root) => root.side === 'mutation')
  const followed = makeSubscriptionRoots(catalog)
  const permissions = permissionField(catalog, names, (name) => queries.some((root) => root.name === name))
  try {
    const schema = new GraphQLSchema({
      query: rootType(deps, 'Query', { fields: queries, own: [permissions] }),
      mutation: rootType(deps, 'Mutation', { fields: mutations }),
      subscription: subscriptionType(deps, {
        followed,
        fields: makeSubscriptionFields({ leaves, filters, outputs, names }),
        name: names.of(['Subscription']),
      }),
      types: [GraphQLFloat], // variables of documents from before `Money` use it
      directives: [
        ...specifiedDirectives,
        ...(guards.length > 0 ? [authDirective(leaves.role, catalog.roles, { hasLists })] : []),
      ],
    })
    return describeSchema(schema, { catalog, names, roots: [...roots, ...followed] })
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(`The declarations make no GraphQL schema: ${(cause as Error).message}`)
  }
}
