/**
 * Compares what `_permissions` tells of creates in tenants with really trying them. Each caller
 * sends a right body for each tenant, with and without a header that names one.
 */
import assert from 'node:assert/strict'
import type { Resource } from '../../src/resource/catalog.ts'
import { isSettable } from '../../src/resource/fields/field-facts.ts'
import { permissionsPath } from '../../src/rest/permissions-route.ts'
import { isAboutRecords } from '../tenants/tenant-requests.ts'
import type { VerdictWorld } from './verdicts.ts'

/** Records of one tenant, by their resource: those that a new record may name. */
export type TenantRecords = ReadonlyMap<string, string>

/** A body with all that a create of this tenant needs. */
function bodyIn(resource: Resource, { tenant, records }: { tenant: string; records: TenantRecords }): object {
  const named = Object.entries(resource.fields).flatMap(([name, field]) => {
    if (field.virtual || field.setBy || !isSettable(field, 'create')) return []
    if (field.reference) return [[name, records.get(field.reference.resource)]]
    return field.required ? [[name, `new of ${tenant}`]] : []
  })
  return Object.fromEntries(named)
}

/**
 * How often creates were told as possible and as not. `none` is told exactly where no create of any
 * tenant is done.
 */
export async function checkToldCreates(
  { service, callers, tenants }: VerdictWorld,
  recordsOf: ReadonlyMap<string, TenantRecords>,
): Promise<ReadonlyMap<string, number>> {
  const { catalog } = service.service.engine
  const resources = [...catalog.resources.values()].filter(
    (one) => one.path !== undefined && one.access.create && one.tenant && isAboutRecords(catalog, one),
  )
  const counts = new Map<string, number>()
  for (const { name, by } of callers)
    for (const named of [undefined, ...tenants]) {
      const headers: Record<string, string> = named === undefined ? {} : { 'x-tenant': named }
      const told = await service.ask('GET', permissionsPath, { ...by, headers })
      if (told.status !== 200) continue
      for (const resource of resources) {
        const statuses: number[] = []
        for (const tenant of tenants) {
          const body = bodyIn(resource, { tenant, records: recordsOf.get(tenant) as TenantRecords })
          const asked = { ...by, body, headers: { ...headers, prefer: 'dry-run' } }
          statuses.push((await service.ask('POST', `/api/v1${resource.path}`, asked)).status)
        }
        const extent: string = told.body.resources[resource.slug].operations.create
        const isDone = statuses.some((status) => status < 300)
        assert.equal(extent !== 'none', isDone, `${name}: ${extent} ${resource.slug} in ${named}: ${statuses}`)
        counts.set(extent, (counts.get(extent) ?? 0) + 1)
      }
    }
  return counts
}
