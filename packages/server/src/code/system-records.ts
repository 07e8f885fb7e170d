/**
 * `records(things)` in the name of the system, with `records.quiet`, `records.as` and
 * `records.system`. The places that have such records give their methods.
 */
import type { Catalog, Resource } from '../resource/catalog.ts'
import { type CallerOrigin, originOf } from '../resource/code/acting-caller.ts'
import { WrongCallError } from '../resource/code/call-options.ts'
import type { RecordsForCaller, SystemRecords, UnboundedRecords } from '../resource/code/code-context.ts'
import type { Records, ResourceHandle } from '../resource/code/code-records.ts'
import type { Scalar } from '../resource/condition.ts'
import type { Fields } from '../resource/fields/field.ts'
import type { FindCodeTenants } from '../resource/tenancy/code-tenants.ts'

type InTenants = (resource: Resource, tenants: FindCodeTenants | undefined) => Records
export type SystemParts = {
  readonly catalog: Catalog
  readonly of: InTenants
  readonly quiet: InTenants
  readonly ofCaller: (from: CallerOrigin) => RecordsForCaller
}

function partsIn({ catalog, of, quiet, ofCaller }: SystemParts, tenants: FindCodeTenants | undefined) {
  const own =
    (records: InTenants) =>
    ({ name }: ResourceHandle<Fields>) =>
      records(catalog.get(name), tenants)
  const as: SystemRecords['as'] = (caller) => ofCaller(originOf(caller))
  return Object.assign(own(of), { quiet: own(quiet), as })
}

/** Those of every tenant. */
export function unboundedRecords(parts: SystemParts): UnboundedRecords {
  const { catalog } = parts
  function within({ name }: ResourceHandle<Fields>, id: Scalar): SystemRecords {
    if (!catalog.tenancies.has(name)) throw new WrongCallError(`records.within: no defineTenancy names ${name}`)
    return systemRecords(parts, async () => new Map([[name, id]]))
  }
  return Object.assign(partsIn(parts, undefined), { within }) as unknown as UnboundedRecords
}

/** Those of these tenants. */
export function systemRecords(parts: SystemParts, tenants: FindCodeTenants | undefined): SystemRecords {
  return Object.assign(partsIn(parts, tenants), { system: unboundedRecords(parts) }) as unknown as SystemRecords
}
