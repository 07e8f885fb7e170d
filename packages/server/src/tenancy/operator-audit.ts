/**
 * Audits the writes of callers above all tenants. A write to a record of a tenant leaves an event
 * in the same transaction, unless the caller is a member there.
 */

import { tenantOf } from '../record/references/tenant-of-record.ts'
import type { WriteStep } from '../record/stages.ts'
import type { RecordTransaction } from '../record/write-context.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import { isAtConsole, type Principal } from '../resource/principal.ts'
import type { ServiceSettings } from '../resource/rule.ts'
import { memberTenants } from '../resource/tenancy/in-tenant.ts'
import type { Row } from '../storage/storage.ts'
import { type IsAboveTenants, makeIsAboveTenants } from './above-tenants.ts'

/** A write above tenants. `operation`: its kind, or the kind of import that it is a line of. */
export type OperatorWrite = {
  readonly userId: string
  readonly operation: string
  readonly resource: Resource
  readonly record: Scalar
  readonly tenant: Scalar
}

/** Stores the event. */
export type NoteOperatorWrite = (tx: RecordTransaction, write: OperatorWrite) => Promise<void>

type TenancyDeps = { readonly catalog: Catalog; readonly settings: ServiceSettings }
type WrittenRow = { readonly caller: Principal; readonly kind: string; readonly row: Row }

type AuditDeps = { readonly tenancy: string; readonly isAbove: IsAboveTenants; readonly note: NoteOperatorWrite }

function auditOf(resource: Resource, { tenancy, isAbove, note }: AuditDeps): WriteStep {
  async function audit(tx: RecordTransaction, { caller, kind: operation, row }: WrittenRow): Promise<void> {
    if (caller.kind !== 'user' || isAtConsole(caller) || !isAbove(caller)) return
    const record = row[resource.idField] as Scalar
    const tenant = resource.scope ? await tenantOf(tx, resource, row) : record
    if (tenant === null || memberTenants(caller, tenancy).includes(tenant)) return
    await note(tx, { userId: caller.userId, operation, resource, record, tenant })
  }
  return {
    name: 'audit of operators',
    resources: [resource],
    created: (tx, made) => audit(tx, made),
    locked: (tx, { before, ...sent }) => audit(tx, { ...sent, row: before }),
    removed: (tx, { before, ...sent }) => audit(tx, { ...sent, row: before }),
    acting: (tx, { before, ...sent }) => audit(tx, { ...sent, row: before }),
  }
}

/** Steps for the resources of tenancies that have an operator, and for their tenants. */
export function auditOperators(deps: TenancyDeps, note: NoteOperatorWrite): readonly WriteStep[] {
  const { resources, tenancies } = deps.catalog
  return [...resources.values()].flatMap((resource) => {
    const tenancy = resource.tenant && tenancies.get(resource.tenant.tenancy)
    if (!tenancy?.operator) return []
    return [auditOf(resource, { tenancy: tenancy.tenant.name, isAbove: makeIsAboveTenants(tenancy, deps), note })]
  })
}
