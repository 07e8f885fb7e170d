/**
 * The tenant of a written record: which one it is, that the record has one, and that it stays. A
 * new record that names no tenant takes it from a record that it refers to.
 */
import type { ApiError } from '../../errors.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { ofTenant } from '../../resource/tenancy/in-tenant.ts'
import { firstTenantField, ownTenantField } from '../../resource/tenancy/scope-resource.ts'
import { inSentence } from '../../resource/words/names.ts'
import { consoleCredential } from '../../storage/changes.ts'
import type { Reader, Values } from '../../storage/storage.ts'
import type { WriteContext } from '../write-context.ts'
import { refersToNone } from './referable.ts'

/** The operator names any tenant, but for code that is in one. */
export function isAboveTenants({ author, bounds }: Pick<WriteContext, 'author' | 'bounds'>): boolean {
  return author.credential === consoleCredential && bounds === undefined
}

const scalarAt = (row: Values, name: string) => (row[name] ?? null) as Scalar | null

type TenantReader = Pick<Reader, 'find'> & { readonly catalog: Catalog }
/** The parts of a write, or of an explanation of one, by which a new record gets its tenant. */
type TenantSettling = Pick<WriteContext, 'catalog' | 'author' | 'bounds'> & {
  readonly transaction: Pick<Reader, 'find'>
}

/** The id of the tenant; null where the record leads to none. */
export async function tenantOf(
  { catalog, find }: TenantReader,
  resource: Resource,
  row: Values,
): Promise<Scalar | null> {
  const { scope } = resource
  if (!scope) return null
  let at = row
  for (const { field, resource: name } of scope.via) {
    const id = scalarAt(at, field)
    const target = catalog.get(name)
    const found = id === null ? undefined : await find(target, equal(target.idField, id))
    if (!found) return null
    at = found.row
  }
  return scalarAt(at, scope.field)
}

/** The tenant of the first record that the new one refers to and that has the same tenancy. */
export async function tenantFromReferences(
  context: Pick<TenantSettling, 'catalog' | 'bounds' | 'transaction'>,
  resource: Resource,
  draft: Values,
): Promise<Scalar | null> {
  const { catalog, transaction, bounds } = context
  for (const name of resource.storedNames) {
    const reference = resource.fields[name]?.reference
    const id = reference ? scalarAt(draft, name) : null
    if (!reference || id === null) continue
    const target = catalog.get(reference.resource)
    if (target.scope?.tenancy !== resource.scope?.tenancy) continue
    const seen = bounds?.referable(target)
    const found = await transaction.find(target, all(equal(target.idField, id), ...(seen ? [seen] : [])))
    const tenant = found ? await tenantOf({ catalog, find: transaction.find }, target, found.row) : null
    if (tenant !== null) return tenant
  }
  return null
}

function noTenant({ catalog, author }: TenantSettling, resource: Resource, name: string): ApiError {
  const { label } = catalog.get(resource.scope?.tenancy ?? '')
  if (author.credential === consoleCredential) return fieldError(name, 'is required')
  return fieldError(name, `is required: name the ${inSentence(label)} in the body, in the path or by X-Tenant`)
}

/** The first record on the way to the tenant exists for the caller, and in `where`. */
async function checkWay(
  context: TenantSettling,
  { resource, row }: { readonly resource: Resource; readonly row: Values },
  where?: Condition,
): Promise<void> {
  const { catalog, transaction, bounds } = context
  const step = resource.scope?.via[0]
  if (!step || isAboveTenants(context)) return
  const id = scalarAt(row, step.field)
  if (id === null) throw fieldError(step.field, 'is required')
  const target = catalog.get(step.resource)
  const limits = [equal(target.idField, id), bounds?.referable(target), where].filter((one) => one !== undefined)
  if (!(await transaction.find(target, all(...limits)))) throw refersToNone(step.field, target)
}

/**
 * Gives a new record its tenant. It comes before the rule for results, so a record that leads to
 * another tenant is refused as one that leads to none. Throws `bad-request`.
 */
export async function settleTenant(
  context: TenantSettling,
  resource: Resource,
  draft: Record<string, unknown>,
): Promise<void> {
  const own = ownTenantField(resource)
  if (own === undefined) return checkWay(context, { resource, row: draft })
  draft[own] ??= await tenantFromReferences(context, resource, draft)
  const { aboveTenants } = resource.traits
  if (aboveTenants !== undefined && scalarAt(draft, aboveTenants) !== null) return
  if (draft[own] === null) throw noTenant(context, resource, own)
}

type TenantChange = {
  readonly resource: Resource
  readonly before: Values
  readonly next: Values
  readonly differing: readonly string[]
}

/** A record stays in its tenant. Throws `bad-request`, whichever other tenant is named. */
export async function checkTenantStays(
  context: TenantSettling,
  { resource, before, next, differing }: TenantChange,
): Promise<void> {
  const first = firstTenantField(resource)
  const { scope } = resource
  if (!scope || first === undefined || !differing.includes(first)) return
  if (isAboveTenants(context)) return
  if (scope.via.length === 0) throw fieldError(first, 'never changes: a record stays in its tenant')
  const tenant = await tenantOf({ catalog: context.catalog, find: context.transaction.find }, resource, before)
  const onward = { ...scope, via: scope.via.slice(1) }
  return checkWay(context, { resource, row: next }, tenant === null ? undefined : ofTenant(onward, tenant))
}
