/**
 * Derives the REST routes from the declarations: every path of a resource, at every mount. Data
 * only; no code here handles a request.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ParentPath, PathStep } from '../operation/operation.ts'
import type { RefusalContext } from '../policy/judge.ts'
import { passesAll } from '../policy/passing-roles.ts'
import { type OperationTarget, ruleOfTarget } from '../policy/rule-of.ts'
import type { Catalog, ChildRelation, Resource } from '../resource/catalog.ts'
import { restoringFrom } from '../resource/made/shown-resources.ts'
import { type CrudKind, crudKinds, factsOf, type OperationFacts, wholeKinds } from '../resource/operation-kind.ts'
import { isOnSingle } from '../resource/relations/on-single.ts'
import { type Branch, branches } from '../resource/relations/tree.ts'
import type { Rule } from '../resource/rule.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import { kebabOf } from '../resource/words/names.ts'
import { type TrashRoutes, withTrashRoutes } from './trash-routes.ts'

/** `/people/:id` → `/people/{id}` */
export function templateOf({ path }: { readonly path: string }): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

export type StepTemplate = { readonly resource: Resource; readonly parameter?: string; readonly by?: string }

export type Route = {
  readonly method: OperationFacts['method']
  /** With `:id` where a segment is the id of a record. */
  readonly path: string
  readonly mount: string
  readonly target: OperationTarget
  readonly steps: readonly StepTemplate[]
  /** The target's field that refers to the record of the last step. */
  readonly by: string | undefined
  /** The path parameter with the record's id. */
  readonly idParameter: string | undefined
  /** It lists the records below the last step in its tree, or those above it. */
  readonly branch?: Branch
  /** It returns a summary of the list, by groups (`summary-routes.ts`). */
  readonly summarizes?: boolean
  /** It tells what differs between two versions of a record (`difference-routes.ts`). */
  readonly compares?: true
  /** It writes to every record that a filter matches. */
  readonly many?: true
  /** The unique field whose value names the record in place of an id. */
  readonly key?: string
  /** Its record is the calling user. */
  readonly isSelf?: true
  /** It replaces the record with a given value of a unique field, or creates it. */
  readonly upserts?: true
  /** The routes that a parameter leads to, where the resource has a trash. */
  readonly trash?: TrashRoutes
  /** It reads the trash. */
  readonly isInTrash?: true
  /** It deletes past the trash. */
  readonly endsForGood?: true
}

type RoutePlacement = Pick<Route, 'path' | 'mount' | 'steps' | 'by'> & { readonly nested: boolean }

type Of = Omit<OperationTarget, 'nested'>

/** The route of an operation at a place. `below`: its path from there. */
function routeIn(
  place: RoutePlacement,
  of: Of,
  { below = '', idParameter }: { below?: string; idParameter?: string } = {},
): Route {
  const { path, nested, mount, steps, by } = place
  const { method } = factsOf(of.operation)
  return { method, path: `${path}${below}`, mount, target: { ...of, nested }, steps, by, idParameter }
}

/** The collection of a resource that has a path. */
function collectionAt({ path }: Resource, mount: string): RoutePlacement {
  return { path: `${mount}${path}`, mount, steps: [], by: undefined, nested: false }
}

type CrudRoute = { readonly kinds: readonly CrudKind[]; readonly parameter: string }

function crudRoutes(resource: Resource, place: RoutePlacement, { kinds, parameter }: CrudRoute): Route[] {
  const onRecord = { below: `/:${parameter}`, idParameter: parameter }
  return kinds.map((operation) =>
    routeIn(place, { resource, operation }, factsOf(operation).on === 'record' ? onRecord : {}),
  )
}

function actionRoutes(resource: Resource, place: RoutePlacement, idParameter?: string): Route[] {
  const record = idParameter === undefined ? {} : { idParameter }
  const above = idParameter === undefined ? '' : `/:${idParameter}`
  return resource.actionNames.map((operation) =>
    routeIn(place, { resource, operation }, { below: `${above}/${kebabOf(operation)}`, ...record }),
  )
}

/**
 * A parent's one record: its path has no id; its children and actions are below that path. Where
 * there may be none, it is created there.
 */
function singleRoutes({ resource, operations, by }: ChildRelation, place: RoutePlacement): Route[] {
  const own = operations.filter((operation) => isOnSingle({ resource, by }, operation))
  const steps = [...place.steps, { resource, by }]
  return [
    ...own.map((operation) => routeIn(place, { resource, operation })),
    ...actionRoutes(resource, place),
    ...childRoutes(resource, { ...place, steps }),
  ]
}

function childRoutes(parent: Resource, place: RoutePlacement): Route[] {
  return Object.entries(parent.children).flatMap(([name, link]) => {
    const below: RoutePlacement = { ...place, path: `${place.path}/${kebabOf(name)}`, by: link.by, nested: true }
    if (link.single) return singleRoutes(link, below)
    return crudRoutes(link.resource, below, { kinds: link.operations, parameter: 'item_id' }).map(withTrashRoutes)
  })
}

/** `/things/:id/descendants`, of records that are a tree. */
function branchRoutes(resource: Resource, below: RoutePlacement): Route[] {
  const { tree, access } = resource
  if (!tree || !access.list) return []
  return branches.map((branch) => {
    const place = { ...below, path: `${below.path}/${branch}`, by: tree.by }
    return { ...routeIn(place, { resource, operation: 'list' }), branch }
  })
}

/**
 * `/things/by-slug/:slug`: the record with that slug. An id never has the form of the second
 * segment.
 */
function keyRoutes(resource: Resource, place: RoutePlacement): Route[] {
  if (!resource.access.get) return []
  return resource.slugNames.map((name) => {
    const below = `/by-${kebabOf(name)}/:${name}`
    return { ...routeIn(place, { resource, operation: 'get' }, { below, idParameter: name }), key: name }
  })
}

/** Its record is one of the trash. */
function restoreRoutes(resource: Resource, place: RoutePlacement): Route[] {
  const trash = restoringFrom(resource)
  return trash ? actionRoutes(trash, place, 'id') : []
}

/** The only record of a resource: its path has no id. */
function onlyRoutes(resource: Resource, place: RoutePlacement): Route[] {
  const kinds = crudKinds.filter((kind) => resource.access[kind] && factsOf(kind).on === 'record')
  return [
    ...kinds.map((operation) => routeIn(place, { resource, operation })),
    ...actionRoutes(resource, place),
    ...childRoutes(resource, { ...place, steps: [{ resource }], nested: true }),
  ]
}

function resourceRoutes(resource: Resource, mount: string): Route[] {
  const place = collectionAt(resource, mount)
  if (resource.single) return onlyRoutes(resource, place)
  const kinds = crudKinds.filter((kind) => resource.access[kind] && !(kind === 'create' && resource.madeUnderParent))
  const whole = wholeKinds.filter((kind) => resource.access[kind])
  const below: RoutePlacement = {
    ...place,
    path: `${place.path}/:id`,
    steps: [{ resource, parameter: 'id' }],
    nested: true,
  }
  return [
    ...crudRoutes(resource, place, { kinds, parameter: 'id' }).map(withTrashRoutes),
    ...keyRoutes(resource, place),
    ...whole.map((operation) => withTrashRoutes(routeIn(place, { resource, operation }, { below: `/${operation}` }))),
    ...actionRoutes(resource, place, 'id'),
    ...restoreRoutes(resource, place),
    ...childRoutes(resource, below),
    ...branchRoutes(resource, below),
  ]
}

const mePath = '/me'

/**
 * The current user, under the rule for reading users. A resource with that path takes precedence.
 */
function selfRoutes({ self, resources }: Catalog): Route[] {
  const isTaken = [...resources.values()].some(({ path }) => path === mePath)
  if (!self?.access.get || isTaken) return []
  const place: RoutePlacement = {
    path: `${apiPrefix}${mePath}`,
    mount: apiPrefix,
    steps: [],
    by: undefined,
    nested: false,
  }
  return [{ ...routeIn(place, { resource: self, operation: 'get' }), isSelf: true }]
}

/** The routes of every resource with a path, at each of its mounts. */
function atMounts({ resources }: Catalog, make: (resource: Resource, mount: string) => Route[]): Route[] {
  return [...resources.values()]
    .filter(({ path }) => path !== undefined)
    .flatMap((resource) => [apiPrefix, ...(resource.atRoot ? [''] : [])].flatMap((mount) => make(resource, mount)))
}

/** Every route of every resource. */
export function makeRoutes(catalog: Catalog): Route[] {
  return [...atMounts(catalog, resourceRoutes), ...selfRoutes(catalog)]
}

/** `PUT` on a collection, where the declaration names the unique fields (`upsert`). */
export function makeUpsertRoutes(catalog: Catalog): Route[] {
  return atMounts(catalog, (resource, mount) =>
    resource.upsert.size === 0
      ? []
      : [{ ...routeIn(collectionAt(resource, mount), { resource, operation: 'replace' }), upserts: true }],
  )
}

const bulkKinds = ['update', 'delete'] as const

/**
 * `PATCH` and `DELETE` on a collection, where the list is declared so (`bulk`): they write to every
 * record that a filter matches. Their target is the operation on one record, whose rule judges each
 * record.
 */
export function makeBulkRoutes(catalog: Catalog): Route[] {
  return atMounts(catalog, (resource, mount) => {
    const kinds = resource.list.bulk ? bulkKinds.filter((kind) => resource.access[kind]) : []
    const place = collectionAt(resource, mount)
    return kinds.map((operation) => withTrashRoutes({ ...routeIn(place, { resource, operation }), many: true }))
  })
}

/**
 * The rules of the records above in the path, which narrow the route's own rule. A record does not
 * exist below one that the caller may not read. A rule is left out where it narrows nothing, or
 * where the route's own rule asks the same of that record.
 */
export function rulesAbove(
  { target, steps, by }: Route,
  context: RefusalContext,
): { readonly resource: Resource; readonly rule: Rule }[] {
  const own = ruleOfTarget(target)
  return steps.flatMap(({ resource }, i) => {
    const rule = resource.access.get
    if (!rule || passesAll(rule, { ...context, resource })) return []
    const said = i === steps.length - 1 && by !== undefined ? own.type.asksOf(own, by) : undefined
    return said && isDeepStrictEqual(said, rule) ? [] : [{ resource, rule }]
  })
}

/** Where the records of one request live; undefined where no record stands above them. */
export function underOf(route: Route, parameters: Readonly<Record<string, string>>): ParentPath | undefined {
  const { by, branch } = route
  return by === undefined ? undefined : { steps: stepsOf(route, parameters), by, ...(branch && { branch }) }
}

/** The path steps of one request: the route's templates with the ids of its path. */
export function stepsOf(route: Route, parameters: Readonly<Record<string, string>>): PathStep[] {
  return route.steps.map(({ resource, parameter, by }) => ({ resource, by, id: parameter && parameters[parameter] }))
}
