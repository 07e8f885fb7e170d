/**
 * The tenant that a caller's request gives a new record: the one that the path, the header or the
 * key names, or the body. They may not disagree. `record/` takes it from a reference otherwise.
 */
import { notFound } from '../operation/not-found.ts'
import type { Permitted } from '../policy/policy.ts'
import type { DraftValues } from '../record/requested-write.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import { fieldError } from '../resource/fields/field.ts'
import { ownTenantField } from '../resource/tenancy/scope-resource.ts'
import type { Row } from '../storage/storage.ts'

/** `by`: the field that refers to the record above in the path, `parent`. */
type AboveRecord = { readonly by: string; readonly parent: Row }

/**
 * Writes the tenant into the values where the request names it. Throws `bad-request` where the body
 * names another one, and `not-found` for one that the caller is not in.
 */
export function setTenant(
  { operation, principal, bounds }: Permitted,
  { catalog, values }: { readonly catalog: Catalog; readonly values: DraftValues },
  above?: AboveRecord,
): void {
  const { resource, under } = operation
  const own = ownTenantField(resource)
  if (own === undefined || !bounds) return
  const parent = under?.steps.at(-1)?.resource
  const parentField = parent && parent.scope?.tenancy === resource.scope?.tenancy ? ownTenantField(parent) : undefined
  const ofParent = above && parentField !== undefined && above.by !== own ? above.parent[parentField] : undefined
  const named = principal.tenant?.name === resource.scope?.tenancy ? principal.tenant?.id : undefined
  const given = (ofParent ?? named) as Scalar | undefined
  const sent = (values[own] ?? undefined) as Scalar | undefined
  if (sent !== undefined && given !== undefined && sent !== given)
    throw fieldError(own, 'is named by the request: leave it out, or send the same')
  const tenant = sent ?? given
  if (tenant === undefined) return
  if (!bounds.reaches(tenant)) throw notFound(catalog.get(resource.scope?.tenancy ?? ''), 'get')
  values[own] = tenant
}
