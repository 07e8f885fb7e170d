/**
 * Bounds a resource by the tenants of its records. Each of its rules judges only the records of the
 * caller's tenants, and each unique key holds within one tenant. The catalog does this at start.
 */
import type { GraphqlField } from '../access/graphql-fields.ts'
import type { Field } from '../fields/field.ts'
import type { Rule } from '../rule.ts'
import { boundTenant, withinBoundTenant } from './bound-tenant.ts'
import { inTenant, scopeFor, type TenantScope, within } from './in-tenant.ts'

type RulesByName = Readonly<Record<string, Rule | undefined>>
type GraphqlFields = Readonly<Record<string, GraphqlField>>
/** The part of a resource that the bounds of its tenant change. */
type BoundedResource = {
  readonly name: string
  readonly traits: { readonly aboveTenants?: string }
  readonly fields: Readonly<Record<string, Field>>
  readonly requiredNames: readonly string[]
  readonly storedNames: readonly string[]
  readonly identity: { readonly kind: string } | undefined
  readonly access: RulesByName
  readonly accessAfter: RulesByName
  readonly unique: readonly (readonly string[])[]
  readonly graphql: { readonly query: GraphqlFields; readonly mutation: GraphqlFields }
  readonly tenant:
    | { readonly tenancy: string; readonly path: readonly string[]; readonly isPublic: boolean }
    | undefined
  readonly scope: TenantScope | undefined
  readonly bounds: Rule | undefined
}
type WithScope = Pick<BoundedResource, 'scope'>

type ScopingParts = {
  readonly resources: ReadonlyMap<string, BoundedResource>
  readonly tenancies: ReadonlyMap<string, { readonly operator: Rule | undefined }>
}

/** The field that names the tenant itself; undefined where another record leads to it. */
export function ownTenantField({ scope }: WithScope): string | undefined {
  return scope?.via.length === 0 ? scope.field : undefined
}

/** The reference by which a record first leads to its tenant. */
export function firstTenantField({ scope }: WithScope): string | undefined {
  return scope?.via[0]?.field ?? scope?.field
}

function scopeOf(resource: BoundedResource, { resources, tenancies }: ScopingParts): TenantScope | undefined {
  const { tenant } = resource
  if (!tenant || tenant.path.length === 0) return undefined
  const { tenancy, path, isPublic } = tenant
  const mayLackTenant = resource.traits.aboveTenants !== undefined
  const via: { field: string; resource: string }[] = []
  let at = resource
  for (const field of path.slice(0, -1)) {
    const next = at.fields[field]?.reference?.resource as string
    via.push({ field, resource: next })
    at = resources.get(next) as BoundedResource
  }
  const { operator } = tenancies.get(tenancy) ?? {}
  return { tenancy, via, field: path.at(-1) as string, operator, isPublic, mayLackTenant }
}

/** The rule of one operation within the bounds. */
type Bound = (operation: string, rule: Rule) => Rule

function bounded(rules: RulesByName, bound: Bound): RulesByName {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, rule && bound(name, rule)] as const))
}

function boundedFields(fields: GraphqlFields, bound: Bound): GraphqlFields {
  const entries = Object.entries(fields).map(([name, field]) => {
    const { access, operation } = field
    return [name, access ? { ...field, access: bound(operation, access) } : field] as const
  })
  return Object.fromEntries(entries)
}

/** All rules of a resource within the bounds. */
function boundedRules({ access, accessAfter, graphql }: BoundedResource, bound: Bound) {
  return {
    access: bounded(access, bound),
    accessAfter: bounded(accessAfter, bound),
    graphql: { query: boundedFields(graphql.query, bound), mutation: boundedFields(graphql.mutation, bound) },
  } satisfies Partial<BoundedResource>
}

/** A tenant may have a value that another tenant has, too. */
function keysWithin(resource: BoundedResource, own: string | undefined): BoundedResource['unique'] {
  if (own === undefined) return resource.unique
  return resource.unique.map((key) => (key.includes(own) ? key : [own, ...key]))
}

/**
 * The reference to the tenant is never null, but in tables with records above tenants. The request
 * may name the tenant in place of the body, and a replace leaves it. A record goes with its tenant,
 * unless the tenant must stay. `keep`: only the engine's own tables have it.
 */
function withTenant({ fields, traits }: BoundedResource, name: string): BoundedResource['fields'] {
  const field = fields[name] as Field
  const { reference } = field
  const { onDelete: declared } = reference ?? {}
  const onDelete = declared === 'refuse' || declared === 'keep' ? declared : 'delete'
  return {
    ...fields,
    [name]: {
      ...field,
      nullable: traits.aboveTenants !== undefined,
      required: false,
      keepOnReplace: true,
      ...(reference && { reference: { ...reference, onDelete } }),
    },
  }
}

function boundTenants(resource: BoundedResource, tenancy: string): void {
  const bound: Bound = (operation, rule) => (operation === 'create' ? rule : withinBoundTenant(tenancy, rule))
  Object.assign(resource, {
    bounds: boundTenant(tenancy),
    ...boundedRules(resource, bound),
  } satisfies Partial<BoundedResource>)
}

type KeyTenancy = { readonly field: string; readonly tenancy: string }

/** The reference of API keys that binds each to a tenant; undefined where none does. */
export function findKeyTenancy(
  { storedNames, fields }: Pick<BoundedResource, 'storedNames' | 'fields'>,
  tenancies: ReadonlyMap<string, unknown>,
): KeyTenancy | undefined {
  for (const field of storedNames) {
    const tenancy = fields[field]?.reference?.resource
    if (tenancy !== undefined && tenancies.has(tenancy)) return { field, tenancy }
  }
  return undefined
}

function boundKeys(resource: BoundedResource, tenancies: ScopingParts['tenancies']): void {
  const { field, tenancy } = findKeyTenancy(resource, tenancies) ?? {}
  if (field === undefined || tenancy === undefined) return
  Object.assign(resource, {
    bounds: boundTenant(tenancy, field),
    ...boundedRules(resource, (_operation, rule) => withinBoundTenant(tenancy, rule, field)),
  } satisfies Partial<BoundedResource>)
}

function scopeResource(resource: BoundedResource, parts: ScopingParts): void {
  const scope = scopeOf(resource, parts)
  if (!scope) {
    if (resource.tenant) boundTenants(resource, resource.tenant.tenancy)
    else if (resource.identity?.kind === 'api-key') boundKeys(resource, parts.tenancies)
    return
  }
  const own = ownTenantField({ scope })
  Object.assign(resource, {
    scope,
    bounds: inTenant({ ...scope, isPublic: false }),
    ...boundedRules(resource, (operation, rule) => within(inTenant(scopeFor(scope, operation)), rule)),
    unique: keysWithin(resource, own),
    fields: withTenant(resource, firstTenantField({ scope }) as string),
    requiredNames: resource.requiredNames.filter((name) => name !== own),
  } satisfies Partial<BoundedResource>)
}

/** Writes the bounds into the resources. No other code has read them yet. */
export function scopeResources(resources: ScopingParts['resources'], tenancies: ScopingParts['tenancies']): void {
  if (tenancies.size === 0) return
  for (const resource of resources.values()) scopeResource(resource, { resources, tenancies })
}
