/** Bounds of the writes of one permitted operation besides its rule: references and tenants. */
import type { Operation } from '../operation/operation.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import { isAtConsole, type Principal } from '../resource/principal.ts'
import { traitsOfAction } from '../resource/traits.ts'
import { readableRecords, referableRecords, seenRecords } from './existing-records.ts'
import type { PolicyContext } from './judge.ts'
import type { RequestTenants } from './tenants/request-tenants.ts'

export type WriteBounds = {
  /** The records to which written records may refer; undefined for all. */
  referable(resource: Resource): Condition | undefined
  /** Those that decide about the write must be among these (`judgedReferences`). */
  seen(resource: Resource): Condition
  /** Those that the caller may get: links and places name these alone. */
  readable(resource: Resource): Condition
  /** Whether the caller is in this tenant of the operation's resource. */
  reaches(id: Scalar): boolean
}

/** Whether some reference, place or tenant bounds a write. */
function hasBounds({ resources, tenancies }: Catalog): boolean {
  const isBounding = ({ judgedReferences, linkNames, placed }: Resource) =>
    judgedReferences.length > 0 || linkNames.length > 0 || placed !== undefined
  return tenancies.size > 0 || [...resources.values()].some(isBounding)
}

/** Whether the application's code writes, or an action of the engine that is no update. */
function isByCode(operation: Operation): boolean {
  return operation.kind === 'act' && traitsOfAction(operation.resource, operation.action).isUpdate !== true
}

/** Gives undefined where nothing bounds the caller. The code of an action is the service's own. */
export function makeWriteBounds(context: PolicyContext, tenants: RequestTenants | undefined) {
  const isBounded = hasBounds(context.catalog)
  return (principal: Principal, operation: Operation): WriteBounds | undefined => {
    if (!isBounded || isByCode(operation) || isAtConsole(principal)) return undefined
    const { resource } = operation
    return {
      referable: (one) => referableRecords(context, principal, one),
      seen: (one) => seenRecords(context, principal, one),
      readable: (one) => readableRecords(context, principal, one),
      reaches: (id) =>
        !tenants || resource.scope === undefined || tenants.reaches(principal, resource.scope.tenancy, id),
    }
  }
}
