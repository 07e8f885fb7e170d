/**
 * The route by which a caller follows a job that it has added: how far it is, and its result. For
 * everyone else but the operator there is no such job.
 */
import { defineRoute, type RouteGroup, type RouteTag } from '../endpoint/define-route.ts'
import { documentedResponse } from '../endpoint/documented-response.ts'
import { jobShape, jobsPath } from '../endpoint/job-shape.ts'
import { judgeCaller, type RouteContext, ruleAccess } from '../endpoint/route-access.ts'
import { ApiError } from '../errors.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import { namedTenant } from '../http/named-tenant.ts'
import { printJob } from '../perform/jobs/print-job.ts'
import type { Policy } from '../policy/policy.ts'
import type { Scalar } from '../resource/condition.ts'
import { text } from '../resource/fields/text.ts'
import { jobType } from '../resource/jobs/define-job.ts'
import { tenantText } from '../resource/jobs/job-values.ts'
import type { Principal } from '../resource/principal.ts'
import { user } from '../resource/rules/any-user.ts'
import { operator } from '../resource/rules/operator.ts'
import type { StoredJob } from '../storage/stored-jobs.ts'

export type JobRouteDeps = { readonly engine: EdgeEngine }

const jobsTag: RouteTag = { name: 'Jobs', description: 'Work that requests have added, and that runs later.' }

function isOperator(ground: RouteContext, principal: Principal): boolean {
  try {
    judgeCaller(ground, operator, { principal, isOfCredentials: false })
    return true
  } catch {
    return false
  }
}

/** A membership that has ended takes the jobs of the tenant along. */
function isInTenant({ tenants }: Policy, principal: Principal, text: string): boolean {
  if (principal.tenant && tenantText(principal.tenant) !== text) return false
  const [name, id] = JSON.parse(text) as [string, Scalar]
  return tenants?.reaches(principal, name, id) === true
}

function isAdder(policy: Policy, principal: Principal, { userId, tenant }: StoredJob): boolean {
  if (principal.kind !== 'user' || userId === null || principal.userId !== userId) return false
  return tenant === null || isInTenant(policy, principal, tenant)
}

const jobRoute = (ground: RouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${jobsPath}/:id`,
    describe: {
      id: 'getJob',
      tag: jobsTag,
      summary: 'Read a job that you have added',
      about: 'How far it is, and its result. Jobs of other callers are missing; the operator reads all of them.',
    },
    rule: ruleAccess(user),
    limits: { rate: 'read' },
    takesTenant: true,
    parameters: { id: text({ required: true, maxLength: 100, description: 'The id of the job.' }) },
    output: { 200: documentedResponse('The job.', { body: jobShape }) },
    errors: ['bad-request', 'unauthenticated', 'not-found'],
    async run({ parameters: { id }, caller, request }, { engine }: JobRouteDeps) {
      const { storage, clock, catalog, policy } = engine
      if (caller.kind === 'anonymous') throw new ApiError('unauthenticated', 'Authentication required')
      const principal = policy.tenants?.within(caller, { header: namedTenant(request) }) ?? caller
      const found = await storage.jobs.find(id, clock())
      if (!found || !(isAdder(policy, principal, found) || isOperator(ground, principal)))
        throw new ApiError('not-found', 'Job not found')
      return { status: 200, headers: { 'cache-control': 'no-store' }, body: printJob(catalog, found) as never }
    },
  })

/** None where the application has no job. */
export function jobRoutes(ground: RouteContext): RouteGroup<JobRouteDeps> {
  const { catalog } = ground
  if (catalog.parts.of(jobType).length === 0) return { routes: [] }
  return { routes: [jobRoute(ground)], shapes: [jobShape] }
}
