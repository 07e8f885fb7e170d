/**
 * Lets a search begin with the tenant. Where a list is bounded to some tenants, its words are
 * looked up among those of these tenants. The condition on the tenant stays beside the search.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { Condition, Scalar } from '../../resource/condition.ts'
import { ownTenantField } from '../../resource/tenancy/scope-resource.ts'

type SearchCondition = Condition & { readonly kind: 'search' }
export type SearchScope = {
  readonly tenants: readonly Scalar[]
  /** The condition that bounds the list to these tenants. */
  readonly by: Condition
}
/** Only this folder makes and reads the scope. */
export type ScopedSearch = SearchCondition & { readonly scope?: SearchScope }

/** Each tenant adds a term for each word to the query of the index. */
const tenantsMax = 24

/** An id in the form in which it is stored: tokens ignore case, and ids do not. */
const isStoredId = (value: Scalar) => /^[-0-9a-f]+$/.test(String(value))

function tenantsIn(condition: Condition, field: string): readonly Scalar[] | undefined {
  if (!('field' in condition) || condition.field !== field) return undefined
  const isEqual = condition.kind === 'compare' && condition.operator === 'eq'
  const tenants = isEqual ? [condition.value] : condition.kind === 'in' ? condition.values : []
  const isFew = tenants.length > 0 && tenants.length <= tenantsMax
  return isFew && tenants.every(isStoredId) ? tenants : undefined
}

type Conditions = readonly Condition[]
/** A read takes the same condition apart several times, and needs the same objects each time. */
const known = new WeakMap<Condition, { readonly of: Resource; readonly parts: Conditions }>()

function scopedParts(resource: Resource, parts: Conditions): Conditions {
  const field = ownTenantField(resource)
  if (field === undefined || !parts.some(({ kind }) => kind === 'search')) return parts
  for (const by of parts) {
    const tenants = tenantsIn(by, field)
    if (!tenants) continue
    const scope: SearchScope = { tenants, by }
    return parts.map((one): ScopedSearch | Condition => (one.kind === 'search' ? { ...one, scope } : one))
  }
  return parts
}

/** The parts of a condition that must all hold, each search with its tenants. */
export function partsOf(resource: Resource, where: Condition): Conditions {
  if (where.kind !== 'and') return [where]
  if (resource.list.search.length === 0) return where.of
  const found = known.get(where)
  if (found?.of === resource) return found.parts
  const parts = scopedParts(resource, where.of)
  known.set(where, { of: resource, parts })
  return parts
}
