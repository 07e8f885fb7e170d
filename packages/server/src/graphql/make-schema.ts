/** Makes the schema from the catalog alone. It knows no resource by name and holds no engine: resolvers find theirs in the context. */
import {
  DirectiveLocation,
  type GraphQLArgumentConfig,
  GraphQLBoolean,
  GraphQLDirective,
  type GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLFloat,
  GraphQLID,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  Kind,
  specifiedDirectives,
} from 'graphql'
import { StartError } from '../errors.ts'
import { lowestRole } from '../policy/passing.ts'
import { ruleOf } from '../policy/policy.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { deprecationOf, deprecationReason } from '../resource/deprecation.ts'
import { isBodyKind } from '../resource/operation-kind.ts'
import { roles, type Settings } from '../resource/rule.ts'
import type { Arguments, Context } from './context.ts'
import { type Filters, makeFilters } from './filter-input.ts'
import { type Inputs, makeInputs } from './input-types.ts'
import { makeLeaves } from './leaf.ts'
import { narrowedArguments } from './list-arguments.ts'
import { makeOutputs, type Outputs } from './object-types.ts'
import { limitOf, makeResolver } from './resolve.ts'
import { makeRootFields, type RootField } from './root.ts'

type RootConfig = GraphQLFieldConfig<unknown, Context, Arguments>
type Parts = {
  readonly catalog: Catalog
  readonly settings: Settings
  readonly outputs: Outputs
  readonly inputs: Inputs
  readonly filters: Filters
}

const defaultRole = roles[0]
const idArgument: GraphQLArgumentConfig = { type: new GraphQLNonNull(GraphQLID) }

/** `directive @auth(requires: Role = USER) on FIELD_DEFINITION` */
function authDirective(role: GraphQLEnumType): GraphQLDirective {
  return new GraphQLDirective({
    name: 'auth',
    description: 'Needs a current user of this role or a higher one. A field without it needs no authentication.',
    locations: [DirectiveLocation.FIELD_DEFINITION],
    args: { requires: { type: role, default: { literal: { kind: Kind.ENUM, value: defaultRole } } } },
  })
}

function inputArgument({ inputs }: Parts, resource: Resource, operation: string): GraphQLFieldConfigArgumentMap {
  if (isBodyKind(operation)) {
    const type = inputs.body(resource, operation)
    return type ? { input: { type: new GraphQLNonNull(type) } } : {}
  }
  const type = resource.actionNames.includes(operation) ? inputs.action(resource, operation) : undefined
  if (!type) return {}
  const needed = Object.values(resource.actions[operation]?.input ?? {}).some((field) => field.required)
  return { input: { type: needed ? new GraphQLNonNull(type) : type } }
}

function listArguments({ filters }: Parts, root: RootField): GraphQLFieldConfigArgumentMap {
  if (root.narrow.limit === undefined) return filters.arguments(root.target.resource)
  return narrowedArguments(limitOf(root, undefined))
}

function argumentsOf(parts: Parts, root: RootField): GraphQLFieldConfigArgumentMap {
  const { resource, operation } = root.target
  const above = root.steps.flatMap(({ argument }) => (argument === undefined ? [] : [[argument, idArgument] as const]))
  const own = operation === 'list' ? listArguments(parts, root) : inputArgument(parts, resource, operation)
  for (const [name] of above) {
    if (Object.hasOwn(own, name))
      throw new StartError(`${resource.writtenIn}: graphql: "${root.name}" has two arguments "${name}"`)
  }
  return { ...Object.fromEntries(above), ...(root.hasId ? { id: idArgument } : {}), ...own }
}

/**
 * The type that a root field returns. A create and the current user are never null, as the interface requires, nor is a page. A field that may
 * find no record is nullable, so that its error leaves the other fields their results.
 */
function typeOf({ catalog, outputs }: Parts, { target, narrow }: RootField): GraphQLOutputType {
  const { resource, operation } = target
  if (narrow.returns === 'success') return GraphQLBoolean
  const returned = catalog.get(resource.actions[operation]?.returns ?? resource.name)
  const record = outputs.record(returned)
  if (operation === 'list') {
    return narrow.returns === 'list'
      ? new GraphQLList(new GraphQLNonNull(record))
      : new GraphQLNonNull(outputs.page(resource))
  }
  return operation === 'create' || narrow.returns === 'self' ? new GraphQLNonNull(record) : record
}

function describe({ target, narrow }: RootField): string | undefined {
  const { resource, operation } = target
  if (narrow.returns === 'self') return 'The current user.'
  if (operation === 'replace') return 'What is left out takes its default.'
  if (operation === 'update') return 'Only what is sent changes; null clears.'
  if (operation === 'delete') return narrow.returns === 'success' ? undefined : 'The record as it was.'
  return resource.actions[operation]?.summary
}

function reasonOf({ target: { resource, operation } }: RootField): string | undefined {
  const deprecation = deprecationOf(resource, operation)
  return deprecation && deprecationReason(deprecation)
}

function configOf(parts: Parts, root: RootField): RootConfig {
  const guard = narrowedGuard(parts, root)
  const auth = guard === null ? {} : { directives: { auth: guard === defaultRole ? {} : { requires: guard } } }
  const records = root.target.operation === 'list' ? { records: (args: Arguments) => limitOf(root, args.limit) } : {}
  return {
    type: typeOf(parts, root),
    args: argumentsOf(parts, root),
    description: describe(root),
    deprecationReason: reasonOf(root),
    resolve: makeResolver(root),
    extensions: { ...auth, ...records },
  }
}

function narrowedGuard({ catalog, settings }: Parts, { target, narrow }: RootField) {
  const guard = lowestRole(ruleOf(target), { catalog, settings, resource: target.resource })
  return narrow.returns === 'self' ? (guard ?? defaultRole) : guard
}

/** A resource without any field to change has no update. */
function isPossible({ inputs }: Parts, { target }: RootField): boolean {
  const { resource, operation } = target
  return !isBodyKind(operation) || inputs.body(resource, operation) !== undefined
}

function rootType(parts: Parts, name: string, fields: readonly RootField[]): GraphQLObjectType | undefined {
  if (fields.length === 0) return undefined
  return new GraphQLObjectType({
    name,
    fields: Object.fromEntries(fields.map((root) => [root.name, configOf(parts, root)])),
  })
}

/** Throws `StartError` for declarations that make no valid schema. */
export function makeSchema(catalog: Catalog, settings: Settings): GraphQLSchema {
  const leaves = makeLeaves()
  const parts: Parts = {
    catalog,
    settings,
    outputs: makeOutputs(catalog, leaves),
    inputs: makeInputs(leaves),
    filters: makeFilters(leaves),
  }
  const roots = makeRootFields(catalog).filter((root) => isPossible(parts, root))
  const guarded = roots.some((root) => narrowedGuard(parts, root) !== null)
  const queries = roots.filter((root) => root.side === 'query')
  const mutations = roots.filter((root) => root.side === 'mutation')
  try {
    return new GraphQLSchema({
      query: rootType(parts, 'Query', queries),
      mutation: rootType(parts, 'Mutation', mutations),
      types: [GraphQLFloat], // variables of documents from before `Money` have it
      directives: guarded ? [...specifiedDirectives, authDirective(leaves.role)] : specifiedDirectives,
    })
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(`The declarations make no GraphQL schema: ${(cause as Error).message}`)
  }
}
