/**
 * Finds mistakes in numbers: series that the resource does not have, writes that would set a
 * counted number, and increments that no caller could send.
 */
import type { Field } from '../fields/field.ts'
import { isSettable } from '../fields/field-facts.ts'
import { incrementName } from '../fields/numbers/increment.ts'
import { isUpserted } from '../keys/upsert-keys.ts'
import { tenantPathOf } from '../tenancy/tenant-path.ts'
import { tenantNames } from '../tenancy/tenant-words.ts'
import type { DeclarationCheck } from './declaration-check.ts'

/** The way to the tenant: undefined for a resource of no tenant, empty for a tenant itself. */
export function pathOf({ declared, byName, tenancies }: DeclarationCheck): readonly string[] | undefined {
  const found = tenantPathOf(declared, { byName, tenants: tenantNames(tenancies) })
  return found && 'path' in found ? found.path : undefined
}

/** A series over all tenants would tell each how much the others do. */
function seriesMistake(isPerTenant: boolean, path: readonly string[] | undefined): string | undefined {
  if (path === undefined)
    return isPerTenant ? "per: 'tenant' counts in each tenant, and the resource belongs to none" : undefined
  if (path.length === 0) return 'counts the tenants, and so tells each how many others there are: leave it out'
  if (path.length > 1)
    return `counts in the tenant of its own record: give the record a reference to its tenant, beside "${path[0]}"`
  return isPerTenant ? undefined : "counts the records of all tenants, and so tells each of the others: per: 'tenant'"
}

function incrementMistake(field: Field, name: string, { declared }: DeclarationCheck): string | undefined {
  if (!isSettable(field, 'update')) return 'increment: no update may change the field'
  if (field.falsyIsDefault) return 'increment: a value of 0 means the default, so an increment may not reach it'
  if (Object.hasOwn(declared.fields, incrementName(name)))
    return `increment: GraphQL calls it ${incrementName(name)}, which is another field`
  return undefined
}

export function checkNumbers(context: DeclarationCheck): void {
  const { declared, report } = context
  for (const [name, field] of Object.entries<Field>(declared.fields)) {
    const wrong = field.increment && !field.virtual ? incrementMistake(field, name, context) : undefined
    if (wrong) report(`field "${name}"`, wrong)
    const { series } = field.type
    if (!series || field.virtual) continue
    const mistake = seriesMistake(series.isPerTenant(field), pathOf(context))
    if (mistake) report(`field "${name}"`, mistake)
    const counted = `"${name}" is counted by the engine`
    if (declared.onWrite && Object.hasOwn(declared.onWrite, name)) report('onWrite', counted)
    if (isUpserted(declared, name)) report('upsert', `${counted}, so no caller sends it for a new record`)
  }
}
