/** The parameters of the feed that select what the parts of a page show. */
import type { FieldDescription } from 'bindery-server/client'
import type { ListQuery } from '../address/request-line.ts'
import { valueFrom } from '../fields/typed-value.ts'

/** A list, or the part of one whose records these parameters select. */
export type Selecting = { readonly slug: string; readonly selects: ListQuery }

/** These arrange the records of a list, and do not select them. */
const arranging: readonly string[] = ['page', 'limit', 'cursor', 'sort', 'fields', 'expand']

export function selectingIn(query: ListQuery): ListQuery {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !arranging.includes(name)))
}

/** The records with this value; all, where the list takes no such filter. */
export function selectingBy(fields: readonly FieldDescription[], name: string, value: string): ListQuery {
  const field = fields.find((one) => one.name === name)
  if (!field?.operators.includes('in')) return {}
  return { filter: JSON.stringify({ [name]: { in: [valueFrom(field, value)] } }) }
}

/** The filter of several, where each has nothing else. Undefined: all changes of their resource. */
function filterOf(all: readonly Selecting[]): string | undefined {
  const filters = all.map(({ selects: { filter, ...others } }) => (Object.keys(others).length > 0 ? undefined : filter))
  if (filters.some((one) => one === undefined)) return undefined
  return filters.length === 1 ? filters[0] : `{"or":[${filters.join(',')}]}`
}

/** The parameters of the request that follows all of them. */
export function feedQueryOf(all: readonly Selecting[]): Readonly<Record<string, unknown>> {
  const [first] = all
  if (first && all.length === 1) return { resources: [first.slug], ...first.selects }
  const bySlug = Map.groupBy(all, ({ slug }) => slug)
  const filters = [...bySlug].map(([slug, own]) => [`filter[${slug}]`, filterOf(own)] as const)
  const named = filters.filter(([, filter]) => filter !== undefined)
  return { resources: [...bySlug.keys()], ...Object.fromEntries(named) }
}
