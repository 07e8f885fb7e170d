/** Names of operations: the operationId for code, the summary for people. */
import type { Resource } from '../resource/catalog.ts'
import { isTable } from '../resource/members.ts'
import { type DescribedOperation, isCollective } from '../resource/words/describe-operation.ts'
import { labelOf, typeNameOf } from '../resource/words/names.ts'
import type { Route } from '../rest/route.ts'
import type { NamedOpenapiNode, OpenapiNode } from './openapi-node.ts'

/**
 * `Order`, `OrderItem` → `OrderItem`: a parent's name is not repeated before a child's that begins
 * with it.
 */
function joinTypeNames(names: readonly string[]): string {
  return names
    .map((name, i) => {
      const above = names[i - 1]
      return above && name !== above && name.startsWith(above) ? name.slice(above.length) : name
    })
    .join('')
}

/** `listProducts`, `createProductReview`, `checkoutUserCart`. */
function operationIdOf({ target, steps, isSelf, key }: Route): string {
  const { resource, operation } = target
  if (isSelf) return `${operation}Current${resource.typeName}`
  const own = typeNameOf(isCollective(operation) ? resource.plural : resource.name)
  const names = joinTypeNames([...steps.map((step) => step.resource.typeName), own])
  return key === undefined ? `${operation}${names}` : `${operation}${names}By${typeNameOf(key)}`
}

/**
 * The name of a route, then longer ones: with the field that refers to its parent, with all records
 * above, with numbers.
 */
function* namesOf(route: Route): Generator<string> {
  const id = operationIdOf(route)
  yield id
  const fields = [...route.steps.map((step) => step.by), route.by].filter((by) => by !== undefined)
  for (const some of [fields.slice(-1), fields])
    if (some.length > 0) yield `${id}By${some.map((by) => typeNameOf(by)).join('And')}`
  for (let number = 2; ; number += 1) yield `${id}${number}`
}

/**
 * Unique ids. The first route gets the shorter name, and a resource's own path comes before those
 * below others. Where two children of one parent are the same resource, the second is named by the
 * field that refers to the parent.
 */
export function operationIdsOf(routes: readonly Route[]): ReadonlyMap<Route, string> {
  const ids = new Map<Route, string>()
  const taken = new Set<string>()
  for (const route of routes.toSorted((a, b) => a.steps.length - b.steps.length))
    for (const name of namesOf(route)) {
      if (taken.has(name)) continue
      taken.add(name)
      ids.set(route, name)
      break
    }
  return ids
}

/**
 * The same paths with unique ids. An operation whose id is taken gets a number: the ids of routes
 * are unique, but other operations may repeat them.
 */
export function withIdsApart(paths: readonly NamedOpenapiNode[]): readonly NamedOpenapiNode[] {
  const taken = new Set<string>()
  const apart = (operation: OpenapiNode): OpenapiNode => {
    const { operationId: id } = operation
    if (typeof id !== 'string') return operation
    let operationId = id
    for (let number = 2; taken.has(operationId); number += 1) operationId = `${id}${number}`
    taken.add(operationId)
    return operationId === id ? operation : { ...operation, operationId }
  }
  const apartIn = (item: OpenapiNode): OpenapiNode =>
    Object.fromEntries(
      Object.entries(item).map(([name, node]) => [name, isTable(node) ? apart(node as OpenapiNode) : node] as const),
    )
  return paths.map(([path, item]) => [path, apartIn(item)])
}

export function pluralLabelOf(resource: Resource): string {
  return labelOf(resource.plural)
}

/** The description of a route, for its summary. */
export function deedOf({
  target: { resource, operation },
  steps,
  idParameter,
  isSelf,
  key,
}: Route): DescribedOperation {
  const above = steps.map((step) => ({ label: step.resource.label, hasId: step.parameter !== undefined }))
  return { resource, operation, above, hasId: idParameter !== undefined, isSelf, key }
}
