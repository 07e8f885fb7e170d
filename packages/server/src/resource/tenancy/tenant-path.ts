/**
 * How a record leads to its tenant: by one reference, or by several, each of which names a record
 * that belongs to the same tenant.
 */
import type { Field } from '../fields/field.ts'
import { checkMembers, flag, type MemberKind, type Members, textKind } from '../members.ts'
import { findMeant } from '../words/nearest.ts'
import type { TenantOption, TenantPath } from './tenant-words.ts'

const tenantMembers = { by: textKind, public: flag } satisfies Members<Exclude<TenantOption, string>>
export const tenantKind: MemberKind = (value, path, report) => {
  if (typeof value === 'string') textKind(value, path, report)
  else checkMembers(value, tenantMembers, { path, report, needed: ['by'] })
}

export type TenantedResource = {
  readonly name: string
  readonly fields: Readonly<Record<string, Pick<Field, 'reference' | 'virtual'>>>
  readonly tenant?: TenantOption | undefined
}

export type TenantPathProblem = { readonly problem: string }

type TenantSearch = {
  readonly byName: ReadonlyMap<string, TenantedResource>
  /** The resources of tenants. */
  readonly tenants: ReadonlySet<string>
}

export function tenantFieldOf(tenant: TenantOption | undefined): string | undefined {
  return typeof tenant === 'object' ? tenant.by : tenant
}

/** The stored references of a resource to another one. */
export function referencesTo({ fields }: Pick<TenantedResource, 'fields'>, target: string): readonly string[] {
  return Object.keys(fields).filter((name) => !fields[name]?.virtual && fields[name]?.reference?.resource === target)
}

/**
 * Undefined for a resource that belongs to no tenant. `above`: the resources whose way this is a
 * part of.
 */
export function tenantPathOf(
  resource: TenantedResource,
  search: TenantSearch,
  above: readonly string[] = [],
): TenantPath | TenantPathProblem | undefined {
  const { name, fields, tenant } = resource
  if (search.tenants.has(name)) return { tenancy: name, path: [] }
  const by = tenantFieldOf(tenant)
  if (by === undefined) return undefined
  const references = Object.keys(fields).filter((one) => fields[one]?.reference && !fields[one]?.virtual)
  const target = Object.hasOwn(fields, by) && references.includes(by) ? fields[by]?.reference?.resource : undefined
  if (target === undefined) {
    const problem = Object.hasOwn(fields, by) ? `"${by}" is no stored reference` : `no field "${by}"`
    return { problem: `${problem}${findMeant(by, references)}` }
  }
  if (above.includes(target) || target === name) return { problem: `"${by}" leads to no tenant but in a circle` }
  const next = search.byName.get(target)
  // A reference to a resource that does not exist is reported with the field.
  if (!next) return undefined
  const rest = tenantPathOf(next, search, [...above, name])
  if (rest && 'path' in rest) return { tenancy: rest.tenancy, path: [by, ...rest.path] }
  if (rest) return undefined // reported there
  const tenants = [...search.tenants].join(', ')
  const known = tenants === '' ? 'no defineTenancy is in the list of resources' : `the tenants are ${tenants}`
  return { problem: `"${by}" leads to "${target}", which belongs to no tenant; ${known}` }
}
