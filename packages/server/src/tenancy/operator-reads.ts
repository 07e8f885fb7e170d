/**
 * Audits the reads of callers above all tenants: one event a minute for each caller, resource and
 * tenant, so a read waits for no write. A stop within that moment may lose an event.
 */
import type { Policy } from '../policy/policy.ts'
import type { RequestTenants } from '../policy/tenants/request-tenants.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import { factsOf } from '../resource/operation-kind.ts'
import { isAtConsole, type Principal, type UserPrincipal } from '../resource/principal.ts'
import type { ServiceSettings } from '../resource/rule.ts'
import { memberTenants } from '../resource/tenancy/in-tenant.ts'
import { makeIsAboveTenants } from './above-tenants.ts'

/** `tenant`: the one that the request names; undefined for all. */
export type OperatorRead = {
  readonly caller: UserPrincipal
  readonly resource: Resource
  readonly tenant: Scalar | undefined
}

const stepMs = 60_000
const notedMax = 10_000

type ReadAuditDeps = {
  readonly catalog: Catalog
  readonly settings: ServiceSettings
  readonly clock: () => number
  /** Stores the event. It never throws. */
  readonly note: (read: OperatorRead) => void
}

function makeNoteRead({ catalog, settings, clock, note }: ReadAuditDeps) {
  const noted = new Map<string, number>()
  const aboveBy = new Map(
    [...catalog.tenancies].map(([name, one]) => [name, makeIsAboveTenants(one, { catalog, settings })]),
  )
  return (caller: Principal, resource: Resource): void => {
    const tenancy = resource.tenant?.tenancy
    if (tenancy === undefined || caller.kind !== 'user' || isAtConsole(caller)) return
    if (!catalog.tenancies.get(tenancy)?.operator || !aboveBy.get(tenancy)?.(caller)) return
    const tenant = caller.tenant?.name === tenancy ? caller.tenant.id : undefined
    if (tenant !== undefined && memberTenants(caller, tenancy).includes(tenant)) return
    const key = JSON.stringify([caller.userId, caller.keyId ?? caller.sessionId, resource.name, tenant])
    const now = clock()
    if (now - (noted.get(key) ?? Number.NEGATIVE_INFINITY) < stepMs) return
    if (noted.size >= notedMax) noted.clear()
    noted.set(key, now)
    note({ caller, resource, tenant })
  }
}

/** The same policy, which notes each read of an operator where its request finds its tenant. */
export function auditReads(policy: Policy, deps: ReadAuditDeps): Policy {
  const { tenants } = policy
  if (!tenants || ![...deps.catalog.tenancies.values()].some(({ operator }) => operator)) return policy
  const noteRead = makeNoteRead(deps)
  const within: RequestTenants['within'] = (caller, named) => {
    const found = tenants.within(caller, named)
    if (named.target && factsOf(named.target.operation).reads) noteRead(found, named.target.resource)
    return found
  }
  return { ...policy, tenants: { ...tenants, within } }
}
