/** What operations are called: the operationId for code, the summary for people. */
import type { Resource } from '../resource/catalog.ts'
import { type Deed, isCollective } from '../resource/describe.ts'
import { labelOf, typeNameOf } from '../resource/names.ts'
import type { Route } from '../rest/route.ts'

/** `Order`, `OrderItem` → `OrderItem`: the name of a parent is not repeated before a child's that begins with it. */
function joinTypeNames(names: readonly string[]): string {
  return names
    .map((name, i) => {
      const above = names[i - 1]
      return above && name !== above && name.startsWith(above) ? name.slice(above.length) : name
    })
    .join('')
}

/** `listProducts`, `createProductReview`, `checkoutUserCart`. */
function operationIdOf({ target, steps }: Route): string {
  const { resource, operation } = target
  const own = typeNameOf(isCollective(operation) ? resource.plural : resource.name)
  const names = joinTypeNames([...steps.map((step) => step.resource.typeName), own])
  return `${operation}${names}`
}

/** Where two children of one parent are the same resource, the field that refers to the parent tells them apart. */
export function operationIdsOf(routes: readonly Route[]): ReadonlyMap<Route, string> {
  const taken = new Set<string>()
  const ids = new Map<Route, string>()
  for (const route of routes) {
    const id = operationIdOf(route)
    const free = taken.has(id) && route.by !== undefined ? `${id}By${typeNameOf(route.by)}` : id
    taken.add(free)
    ids.set(route, free)
  }
  return ids
}

export function pluralLabelOf(resource: Resource): string {
  return labelOf(resource.plural)
}

/** What a route does, for the words of its summary. */
export function deedOf({ target: { resource, operation }, steps, idParameter }: Route): Deed {
  const above = steps.map((step) => ({ label: step.resource.label, hasId: step.parameter !== undefined }))
  return { resource, operation, above, hasId: idParameter !== undefined }
}
