/** How tenants bound one permitted operation: its references, and the records above in its path. */
import type { Operation } from '../../operation/operation.ts'
import type { Resource } from '../../resource/catalog.ts'
import { always, type Condition, type Scalar } from '../../resource/condition.ts'
import { factsOf } from '../../resource/operation-kind.ts'
import { isAtConsole, type Principal } from '../../resource/principal.ts'
import { existingRecords, referableRecords } from '../existing-records.ts'
import type { PolicyContext } from '../judge.ts'
import type { OperationTarget } from '../rule-of.ts'
import type { RequestTenants } from './request-tenants.ts'

export type TenantPermission = {
  /** The records to which written records may refer; undefined for all. */
  referable(resource: Resource): Condition | undefined
  /** Whether the caller is in this tenant of the operation's resource. */
  reaches(id: Scalar): boolean
}

type TenantBounds = { readonly context: PolicyContext; readonly tenants: RequestTenants | undefined }

/** Undefined where no tenant bounds the caller. The code of an action is the service's own. */
export function tenantPermission(
  { context, tenants }: TenantBounds,
  principal: Principal,
  { resource, kind }: Operation,
): TenantPermission | undefined {
  if (!tenants || kind === 'act' || isAtConsole(principal)) return undefined
  return {
    referable: (one) => referableRecords(context, principal, one),
    reaches: (id) => resource.scope === undefined || tenants.reaches(principal, resource.scope.tenancy, id),
  }
}

/**
 * The records of a step of the path that exist for the caller. Readers of a public resource go
 * through the path of a tenant that they need not see.
 */
export function existingAbove(
  context: PolicyContext,
  { principal, target }: { readonly principal: Principal; readonly target: OperationTarget },
  step: Resource,
): Condition {
  const { scope } = target.resource
  const isOpen = scope?.isPublic === true && scope.tenancy === step.name
  return isOpen && factsOf(target.operation).reads ? always : existingRecords(context, principal, step)
}
