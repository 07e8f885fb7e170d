/**
 * Resources with one record (`single: true`), or one for each tenant. A unique key makes a second
 * one impossible: the reference to the tenant, or else a field of the engine with one value.
 */
import type { DeclaredAccess } from '../access/change-rule.ts'
import type { DeclaredResource } from '../define.ts'
import type { Field } from '../fields/field.ts'
import { integer } from '../fields/numbers/integer.ts'
import { tenantFieldOf } from '../tenancy/tenant-path.ts'

/** The engine's field with one value in all records. No declaration may use such a name. */
export const singleField = '_single'

/** Those that `read` and `write` stand for, where there is one record. */
const shorthands = { read: ['get'], write: ['replace', 'update'] } as const

function accessOf({ read, write, ...own }: DeclaredAccess): DeclaredAccess {
  const spelt = Object.entries({ read, write }).flatMap(([word, rule]) =>
    rule ? shorthands[word as keyof typeof shorthands].map((operation) => [operation, rule] as const) : [],
  )
  return { ...Object.fromEntries(spelt), ...own } as DeclaredAccess
}

/** The fields of the key of which each record has another value. */
export function singleKey({ tenant }: Pick<DeclaredResource, 'tenant'>): string {
  return tenantFieldOf(tenant) ?? singleField
}

/** The declaration as the engine stores it. Its name is its plural, too: `settings`. */
export function asSingle(declared: DeclaredResource): DeclaredResource {
  if (!declared.single) return declared
  const { fields, name, unique = [] } = declared
  const key = singleKey(declared)
  const own: Record<string, Field> = key === singleField ? { [singleField]: integer({ hidden: true, default: 1 }) } : {}
  return {
    ...declared,
    plural: declared.plural ?? name,
    access: accessOf(declared.access),
    fields: { ...fields, ...own },
    unique: [[key], ...unique],
  }
}
