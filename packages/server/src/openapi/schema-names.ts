/** What operations are called: the operationId for code, the summary for people. */

import type { Resource } from '../resource/catalog.ts'
import { inSentence, labelOf, snakeOf, typeNameOf } from '../resource/names.ts'
import type { Route } from '../rest/route.ts'

const collective = new Set(['list', 'import', 'export'])

/** `Order`, `OrderItem` → `OrderItem`: the name of a parent is not repeated before a child's that begins with it. */
function joinTypeNames(names: readonly string[]): string {
  return names
    .map((name, i) => {
      const above = names[i - 1]
      return above && name !== above && name.startsWith(above) ? name.slice(above.length) : name
    })
    .join('')
}

/** `listProducts`, `createProductReview`, `checkoutUserCart`, `listBooksAtRoot`. */
export function operationIdOf({ target, steps, mount }: Route): string {
  const { resource, operation } = target
  const own = typeNameOf(collective.has(operation) ? resource.plural : resource.name)
  const names = joinTypeNames([...steps.map((step) => step.resource.typeName), own])
  return `${operation}${names}${mount === '' ? 'AtRoot' : ''}`
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

/** `List the reviews of one product`, `Get the cart of one user`; an action may declare its own. */
export function summaryOf({ target, steps, idParameter }: Route): string {
  const { resource, operation } = target
  const own = resource.actions[operation]?.summary
  if (own) return own.replace(/\.$/, '')
  const above = steps
    .toReversed()
    .map((step) => ` of ${step.parameter ? 'one' : 'the'} ${inSentence(step.resource.label)}`)
  const many = inSentence(pluralLabelOf(resource))
  const single = steps.length > 0 && idParameter === undefined && operation !== 'create'
  const one = `${single ? 'the' : 'one'} ${inSentence(resource.label)}`
  const what = collective.has(operation) ? (steps.length > 0 ? `the ${many}` : many) : one
  return `${typeNameOf(snakeOf(operation).replaceAll('_', ' '))} ${what}${above.join('')}`
}
