/**
 * Finds declarations of a tenant's resource that would tell one tenant of another: counted ids, and
 * unique keys over all tenants.
 */
import type { DeclarationCheck } from '../checks/declaration-check.ts'
import type { DeclaredResource } from '../define.ts'
import { tenantPathOf } from './tenant-path.ts'
import { tenantNames } from './tenant-words.ts'

function keysOf({ fields, unique = [] }: DeclaredResource): readonly (readonly string[])[] {
  const single = Object.keys(fields).filter((name) => fields[name]?.unique && !fields[name].type.series)
  return [...single.map((name) => [name]), ...unique]
}

/** Where another record leads to the tenant, no column has it: the key holds within that record. */
function checkKeys({ declared, report }: DeclarationCheck, [first, ...rest]: readonly string[]): void {
  if (first === undefined || rest.length === 0) return
  for (const key of keysOf(declared))
    if (!key.includes(first))
      report(
        'unique',
        `[${key.join(', ')}] would hold over all tenants: begin the key with "${first}", or give the record a reference to its tenant`,
      )
}

function checkFirst({ declared, report }: DeclarationCheck, first: string): void {
  const onDelete = declared.fields[first]?.reference?.onDelete
  if (onDelete === 'keep' || typeof onDelete === 'object')
    report(
      `field "${first}"`,
      `leads to the tenant of the record, so its onDelete is 'delete' (the default here) or 'refuse'`,
    )
}

/** The mistakes of a resource whose `tenant` leads to a tenant. */
export function checkScope(context: DeclarationCheck): void {
  const { declared, byName, tenancies, report } = context
  if (declared.tenant === undefined) return
  const found = tenantPathOf(declared, { byName, tenants: tenantNames(tenancies) })
  const first = found && 'path' in found ? found.path[0] : undefined
  if (!found || !('path' in found) || first === undefined) return
  const idField = Object.keys(declared.fields).find((name) => declared.fields[name]?.type.referredBy)
  if (idField !== undefined && declared.fields[idField]?.type.column === 'integer')
    report(
      `field "${idField}"`,
      'counts the records of all tenants, and so tells each of the others: use id(), and autoNumber() for a number',
    )
  checkKeys(context, found.path)
  checkFirst(context, first)
}
