/**
 * Derives the root fields from the declarations: all queries and mutations, as data. They
 * correspond to REST's routes: the same targets and steps, with path parameters as arguments.
 * Fields get their names here (docs/decisions/0020).
 */
import type { OperationTarget } from '../policy/rule-of.ts'
import type { GraphqlField } from '../resource/access/graphql-fields.ts'
import type { Catalog, ChildRelation, Resource } from '../resource/catalog.ts'
import { restoringFrom, shownResources } from '../resource/made/shown-resources.ts'
import { crudKinds, factsOf } from '../resource/operation-kind.ts'
import { isOnSingle } from '../resource/relations/on-single.ts'
import { type Branch, branches } from '../resource/relations/tree.ts'
import { typeNameOf } from '../resource/words/names.ts'

/**
 * A record above the target. `argument` names the argument with its id; a parent's single record
 * has none and is found by its field `by`.
 */
export type RootStep = { readonly resource: Resource; readonly argument?: string; readonly by?: string }

export type RootField = {
  readonly side: 'query' | 'mutation' | 'subscription'
  readonly name: string
  readonly target: OperationTarget
  readonly steps: readonly RootStep[]
  /** The target's field that refers to the record of the last step. */
  readonly by: string | undefined
  /** It lists the records below the last step in its tree, or those above it. */
  readonly branch?: Branch
  /** Whether an argument `id` names the record. */
  readonly hasId: boolean
  /** It replaces the record of a unique key, which the argument `on` names, or creates it. */
  readonly upserts?: true
  /** The unique fields that name the record in place of its id, each as an argument. */
  readonly keys: readonly string[]
  /** Limits and guarantees of the declaration. */
  readonly narrow: Pick<GraphqlField, 'where' | 'limit' | 'returns' | 'nonNull'>
}

/**
 * The arguments of a list without those of its path, which take precedence over filters of their
 * names. `filter` has these too.
 */
export function withoutPath<T>({ steps }: RootField, args: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  if (!steps.some(({ argument }) => argument !== undefined && Object.hasOwn(args, argument))) return args
  return Object.fromEntries(Object.entries(args).filter(([name]) => !steps.some(({ argument }) => argument === name)))
}

type RootPath = Pick<RootField, 'steps' | 'by'> & { readonly nested: boolean }

const top: RootPath = { steps: [], by: undefined, nested: false }
/** The schema has `get` before `list`. */
const shownKinds = ['get', ...crudKinds.filter((kind) => kind !== 'get')] as const

function nameOf(resource: Resource, operation: string): string {
  if (operation === 'get') return resource.name
  if (operation === 'list') return resource.plural
  return `${operation}${resource.typeName}`
}

/** `hasId`: whether records here have an id of their own. */
function fieldOf(resource: Resource, operation: string, { hasId, ...place }: RootPath & { hasId: boolean }): RootField {
  return {
    side: factsOf(operation).reads ? 'query' : 'mutation',
    name: nameOf(resource, operation),
    target: { resource, operation, nested: place.nested },
    steps: place.steps,
    by: place.by,
    hasId: hasId && factsOf(operation).on === 'record',
    keys: hasId && operation === 'get' && place.steps.length === 0 ? resource.slugNames : [],
    narrow: {},
  }
}

function singleFields(link: ChildRelation, place: RootPath): RootField[] {
  const { resource } = link
  const own = link.operations.filter((operation) => isOnSingle(link, operation))
  const below: RootPath = { ...place, steps: [...place.steps, { resource, by: link.by }] }
  return [
    ...own.map((operation) => fieldOf(resource, operation, { ...place, hasId: false })),
    ...resource.actionNames.map((operation) => fieldOf(resource, operation, { ...place, hasId: false })),
    ...childFields(resource, below),
  ]
}

/** The fields below a parent: the child's list, and operations that the child's own path lacks. */
function childFields(parent: Resource, place: RootPath): RootField[] {
  return Object.entries(parent.children).flatMap(([name, link]) => {
    const below: RootPath = { ...place, by: link.by, nested: true }
    if (link.single) return singleFields(link, below)
    const { resource } = link
    const operations = link.operations.filter(
      (operation) => operation === 'list' || !resource.path || (operation === 'create' && resource.madeUnderParent),
    )
    return operations.map((operation): RootField => {
      const field = fieldOf(resource, operation, { ...below, hasId: true })
      return operation === 'list' ? { ...field, name: `${parent.name}${typeNameOf(name)}` } : field
    })
  })
}

/** `categoryDescendants`, of records that are a tree. */
function branchFields(resource: Resource, place: RootPath): RootField[] {
  const { tree, access } = resource
  if (!tree || !access.list) return []
  return branches.map((branch) => ({
    ...fieldOf(resource, 'list', { ...place, by: tree.by, nested: true, hasId: true }),
    name: `${resource.name}${typeNameOf(branch)}`,
    branch,
  }))
}

function ownFields(resource: Resource): RootField[] {
  if (resource.path === undefined) return []
  const kinds = shownKinds.filter((kind) => resource.access[kind] && !(kind === 'create' && resource.madeUnderParent))
  const trash = restoringFrom(resource)
  const creates = kinds.includes('create') && resource.upsert.size > 0
  const upsert = {
    ...fieldOf(resource, 'create', { ...top, hasId: false }),
    name: `upsert${resource.typeName}`,
    upserts: true as const,
  }
  return [
    ...kinds.map((operation) => fieldOf(resource, operation, { ...top, hasId: !resource.single })),
    ...(creates ? [upsert] : []),
    ...resource.actionNames.map((operation) => fieldOf(resource, operation, { ...top, hasId: !resource.single })),
    ...(trash?.actionNames ?? []).map((operation) => fieldOf(trash as Resource, operation, { ...top, hasId: true })),
  ]
}

function declaredFields(resource: Resource): RootField[] {
  return (['query', 'mutation'] as const).flatMap((side) =>
    Object.entries(resource.graphql[side]).map(
      ([name, { operation, access, where, limit, returns, nonNull }]): RootField => {
        const field = fieldOf(resource, operation, { ...top, hasId: returns !== 'self' })
        return { ...field, side, name, target: { ...field.target, access }, narrow: { where, limit, returns, nonNull } }
      },
    ),
  )
}

/** Names of declarations have no `_`, so no other field that is made of them has this one. */
function lastName({ target, steps }: RootField): string {
  return [...steps.map((step) => step.resource.name), target.resource.name, target.operation].join('_')
}

/**
 * Alternatives for a name that is taken: the first free one is used. Without one, the field is left
 * out for the declared field.
 */
function otherNames(field: RootField, declared: ReadonlySet<string>): readonly string[] {
  const { name, target, steps } = field
  if (steps.length > 0) return [`${name}Of${steps.map((step) => step.resource.typeName).join('')}`, lastName(field)]
  if (target.operation === 'list') return [`${name}Page`, lastName(field)]
  return declared.has(keyOf(field)) ? [] : [lastName(field)]
}

/** Queries and mutations have names of their own. */
export function keyOf({ side, name }: Pick<RootField, 'side' | 'name'>): string {
  return `${side} ${name}`
}

/**
 * All root fields. A declared field keeps its name; a generated list of that name becomes
 * `<plural>Page`, and other generated fields are left out. No two have one name: the check of
 * declarations ensures that for declared fields.
 */
export function makeRootFields(catalog: Catalog): RootField[] {
  const resources = shownResources(catalog)
  const declared = resources.flatMap(declaredFields)
  const declaredNames = new Set(declared.map(keyOf))
  const fields = new Map<string, RootField>()
  const add = (field: RootField) => void fields.set(keyOf(field), field)
  for (const field of declared) add(field)
  const below = (resource: Resource) => {
    const steps = [resource.single ? { resource } : { resource, argument: `${resource.name}Id` }]
    const place = { steps, by: undefined, nested: true }
    return [...childFields(resource, place), ...branchFields(resource, place)]
  }
  const generated = [
    ...resources.flatMap(ownFields),
    ...resources.filter((one) => one.path !== undefined).flatMap(below),
  ]
  for (const field of generated) {
    const names = fields.has(keyOf(field)) ? otherNames(field, declaredNames) : [field.name]
    const name = names.find((one) => !fields.has(keyOf({ ...field, name: one })))
    if (name !== undefined) add({ ...field, name })
  }
  return [...fields.values()]
}

/** The lists that subscriptions follow: those of resources whose changes are kept. */
export function makeSubscriptionRoots(catalog: Catalog): RootField[] {
  return shownResources(catalog)
    .filter(({ path, shownNames, access }) => path !== undefined && shownNames && access.list)
    .map((resource) => ({ ...fieldOf(resource, 'list', { ...top, hasId: true }), side: 'subscription' }))
}
