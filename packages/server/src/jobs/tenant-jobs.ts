/** A tenant that is removed takes its jobs along: those that wait or run are cancelled. */
import type { WriteStep } from '../record/stages.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import { jobType } from '../resource/jobs/define-job.ts'

function stepOf(tenant: Resource): WriteStep {
  return {
    name: `jobs of ${tenant.name}`,
    resources: [tenant],
    async beforeDelete({ tx, rows }) {
      for (const row of rows) await tx.cancelJobs({ tenant: { name: tenant.name, id: row[tenant.idField] as Scalar } })
    },
  }
}

/** Empty in an application without tenants or without jobs. */
export function tenantJobSteps({ parts, tenancies, get }: Catalog): readonly WriteStep[] {
  return parts.of(jobType).length === 0 ? [] : [...tenancies.keys()].map((name) => stepOf(get(name)))
}
