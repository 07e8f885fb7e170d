/**
 * The tenant that an API key is bound to, and with which it ends. A reference of the application's
 * own names it in the record of the key:
 * `keys: { fields: { clubId: reference('club', { onDelete: 'delete' }) } }`
 */
import type { Catalog } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { RequestTenant } from '../../resource/principal.ts'
import type { Values } from '../../storage/storage.ts'

type KeyTenancy = { readonly field: string; readonly tenancy: string }

/** Undefined where keys are bound to no tenant. */
export function keyTenancyOf({ apiKey, tenancies }: Catalog): KeyTenancy | undefined {
  const { storedNames = [], fields = {} } = apiKey?.resource ?? {}
  for (const field of storedNames) {
    const tenancy = fields[field]?.reference?.resource
    if (tenancy !== undefined && tenancies.has(tenancy)) return { field, tenancy }
  }
  return undefined
}

/** Of the record of a key; undefined where the key works in every tenant of its owner. */
export function tenantOfKey(known: KeyTenancy | undefined, row: Values): RequestTenant | undefined {
  const id = known ? ((row[known.field] ?? null) as Scalar | null) : null
  return known && id !== null ? { name: known.tenancy, id } : undefined
}
