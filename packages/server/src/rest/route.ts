/**
 * Declarations → routes: every path that a resource has, at every mount. Data only; nothing here
 * handles a request.
 */
import { isDeepStrictEqual } from 'node:util'
import { apiPrefix } from '../endpoint/api-paths.ts'
import type { PathStep } from '../operation/operation.ts'
import type { PolicyContext } from '../policy/judge.ts'
import { passesAll } from '../policy/passing-roles.ts'
import { type OperationTarget, ruleOfTarget } from '../policy/rule-of.ts'
import type { Catalog, ChildRelation, Resource } from '../resource/catalog.ts'
import { type CrudKind, crudKinds, factsOf, type OperationFacts, wholeKinds } from '../resource/operation-kind.ts'
import type { Rule } from '../resource/rule.ts'
import { kebabOf } from '../resource/words/names.ts'

/** `/people/:id` → `/people/{id}` */
export function templateOf({ path }: { readonly path: string }): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

export type StepTemplate = { readonly resource: Resource; readonly parameter?: string; readonly by?: string }

export type Route = {
  readonly method: OperationFacts['method']
  /** With `:id` where a segment names a record. */
  readonly path: string
  readonly mount: string
  readonly target: OperationTarget
  readonly steps: readonly StepTemplate[]
  /** The target's field that refers to the record of the last step. */
  readonly by: string | undefined
  /** The path parameter with the record's id. */
  readonly idParameter: string | undefined
  /** It answers with groups of the list's records (`summary-routes.ts`). */
  readonly summarizes?: boolean
  /** It is for every record that a filter finds. */
  readonly many?: true
  /** Its record is the user who asks. */
  readonly isSelf?: true
  /** It replaces a record that it names by a unique field, or creates it. */
  readonly upserts?: true
}

type RoutePlacement = Pick<Route, 'mount' | 'steps' | 'by'> & { readonly path: string; readonly nested: boolean }

type CrudRoute = { readonly kinds: readonly CrudKind[]; readonly parameter: string }

function crudRoutes(resource: Resource, place: RoutePlacement, { kinds, parameter }: CrudRoute): Route[] {
  return kinds.map((operation) => {
    const { method, on } = factsOf(operation)
    return {
      method,
      path: on === 'record' ? `${place.path}/:${parameter}` : place.path,
      mount: place.mount,
      target: { resource, operation, nested: place.nested },
      steps: place.steps,
      by: place.by,
      idParameter: on === 'record' ? parameter : undefined,
    }
  })
}

function actionRoutes(resource: Resource, place: RoutePlacement, parameter: string | undefined): Route[] {
  return resource.actionNames.map((operation) => ({
    method: factsOf(operation).method,
    path: parameter ? `${place.path}/:${parameter}/${kebabOf(operation)}` : `${place.path}/${kebabOf(operation)}`,
    mount: place.mount,
    target: { resource, operation, nested: place.nested },
    steps: place.steps,
    by: place.by,
    idParameter: parameter,
  }))
}

/**
 * A parent's single record: its path has no id, and its children and actions are below that path.
 */
function singleRoutes(link: ChildRelation, place: RoutePlacement): Route[] {
  const { resource } = link
  const own: Route[] = link.operations
    .filter((operation) => factsOf(operation).on === 'record')
    .map((operation) => ({
      method: factsOf(operation).method,
      path: place.path,
      mount: place.mount,
      target: { resource, operation, nested: true },
      steps: place.steps,
      by: place.by,
      idParameter: undefined,
    }))
  const steps = [...place.steps, { resource, by: link.by }]
  return [...own, ...actionRoutes(resource, place, undefined), ...childRoutes(resource, { ...place, steps })]
}

function childRoutes(parent: Resource, place: RoutePlacement): Route[] {
  return Object.entries(parent.children).flatMap(([name, link]) => {
    const path = `${place.path}/${kebabOf(name)}`
    const below: RoutePlacement = { path, mount: place.mount, steps: place.steps, by: link.by, nested: true }
    if (link.single) return singleRoutes(link, below)
    return crudRoutes(link.resource, below, { kinds: link.operations, parameter: 'item_id' })
  })
}

function resourceRoutes(resource: Resource, mount: string): Route[] {
  if (resource.path === undefined) return []
  const place: RoutePlacement = { path: `${mount}${resource.path}`, mount, steps: [], by: undefined, nested: false }
  const kinds = crudKinds.filter((kind) => resource.access[kind])
  const whole = wholeKinds.filter((kind) => resource.access[kind])
  const wholeRoutes: Route[] = whole.map((operation) => ({
    method: factsOf(operation).method,
    path: `${place.path}/${operation}`,
    mount,
    target: { resource, operation, nested: false },
    steps: [],
    by: undefined,
    idParameter: undefined,
  }))
  const below: RoutePlacement = {
    ...place,
    path: `${place.path}/:id`,
    steps: [{ resource, parameter: 'id' }],
    nested: true,
  }
  return [
    ...crudRoutes(resource, place, { kinds, parameter: 'id' }).filter(
      ({ target }) => !(target.operation === 'create' && resource.madeUnderParent),
    ),
    ...wholeRoutes,
    ...actionRoutes(resource, place, 'id'),
    ...childRoutes(resource, below),
  ]
}

const mePath = '/me'

/**
 * The current user, under the rule by which users are got; a resource of that path goes before it.
 */
function selfRoutes({ self, resources }: Catalog): Route[] {
  const isTaken = [...resources.values()].some(({ path }) => path === mePath)
  if (!self?.access.get || isTaken) return []
  const target: OperationTarget = { resource: self, operation: 'get', nested: false }
  const place = { mount: apiPrefix, steps: [], by: undefined, idParameter: undefined }
  return [{ method: 'GET', path: `${apiPrefix}${mePath}`, target, ...place, isSelf: true }]
}

/** Every route of every resource. */
export function makeRoutes(catalog: Catalog): Route[] {
  const declared = [...catalog.resources.values()].flatMap((resource) => [
    ...resourceRoutes(resource, apiPrefix),
    ...(resource.atRoot ? resourceRoutes(resource, '') : []),
  ])
  return [...declared, ...selfRoutes(catalog)]
}

const bulkKinds = ['update', 'delete'] as const

function bulkRoutes(resource: Resource, mount: string): Route[] {
  const kinds = resource.list.bulk ? bulkKinds.filter((kind) => resource.access[kind]) : []
  return kinds.map((operation) => ({
    method: factsOf(operation).method,
    path: `${mount}${resource.path}`,
    mount,
    target: { resource, operation, nested: false },
    steps: [],
    by: undefined,
    idParameter: undefined,
    many: true,
  }))
}

/** `PUT` on a collection, where the declaration says by which fields (`upsert`). */
function upsertRoutes(resource: Resource, mount: string): Route[] {
  if (resource.upsert.length === 0) return []
  const target: OperationTarget = { resource, operation: 'replace', nested: false }
  const path = `${mount}${resource.path}`
  return [{ method: 'PUT', path, mount, target, steps: [], by: undefined, idParameter: undefined, upserts: true }]
}

export function makeUpsertRoutes(catalog: Catalog): Route[] {
  return [...catalog.resources.values()].flatMap((resource) => [
    ...upsertRoutes(resource, apiPrefix),
    ...(resource.atRoot ? upsertRoutes(resource, '') : []),
  ])
}

/**
 * `PATCH` and `DELETE` on a collection: every record that a filter finds, where the list is
 * declared so (`bulk`). Their target is the operation on one record, whose rule judges each of
 * these.
 */
export function makeBulkRoutes(catalog: Catalog): Route[] {
  return [...catalog.resources.values()].flatMap((resource) =>
    resource.path === undefined
      ? []
      : [...bulkRoutes(resource, apiPrefix), ...(resource.atRoot ? bulkRoutes(resource, '') : [])],
  )
}

/**
 * The rules of the records above in the path, which narrow the route's own rule: nothing exists
 * below a record that the caller may not get. A rule is left out where it narrows nothing, or where
 * the route's own rule already asks the same of that record.
 */
export function rulesAbove(
  { target, steps, by }: Route,
  context: PolicyContext,
): { readonly resource: Resource; readonly rule: Rule }[] {
  const own = ruleOfTarget(target)
  return steps.flatMap(({ resource }, i) => {
    const rule = resource.access.get
    if (!rule || passesAll(rule, { ...context, resource })) return []
    const said = i === steps.length - 1 && by !== undefined ? own.type.asksOf(own, by) : undefined
    return said && isDeepStrictEqual(said, rule) ? [] : [{ resource, rule }]
  })
}

/** The steps of one request: the route's templates, with the ids from its path. */
export function stepsOf(route: Route, parameters: Readonly<Record<string, string>>): PathStep[] {
  return route.steps.map(({ resource, parameter, by }) => ({ resource, by, id: parameter && parameters[parameter] }))
}
