/**
 * The tenant that an API key is bound to, and with which it ends. A reference of the application's
 * own names it in the record of the key:
 * `keys: { fields: { clubId: reference('club', { onDelete: 'delete' }) } }`
 */
import type { Catalog } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { RequestTenant } from '../../resource/principal.ts'
import { findKeyTenancy } from '../../resource/tenancy/scope-resource.ts'
import type { Values } from '../../storage/storage.ts'

/** Undefined where keys are bound to no tenant. */
export function keyTenancyOf({ apiKey, tenancies }: Catalog): ReturnType<typeof findKeyTenancy> {
  return apiKey && findKeyTenancy(apiKey.resource, tenancies)
}

/** Of the record of a key; undefined where the key works in every tenant of its owner. */
export function tenantOfKey(known: ReturnType<typeof findKeyTenancy>, row: Values): RequestTenant | undefined {
  const id = known ? ((row[known.field] ?? null) as Scalar | null) : null
  return known && id !== null ? { name: known.tenancy, id } : undefined
}
