/**
 * The routes `GET /_resources` and `GET /_resources/{resource}`. A front end makes its lists and
 * forms from these declarations. They have only what the caller may use.
 */

import { bodyShape } from '../../endpoint/body-shape.ts'
import { defineRoute, type RouteGroup, type RouteTag } from '../../endpoint/define-route.ts'
import { documentedResponse, mediaBody, notModifiedResponse } from '../../endpoint/documented-response.ts'
import { type RouteContext, ruleAccess } from '../../endpoint/route-access.ts'
import { value } from '../../endpoint/route-fields.ts'
import { ApiError } from '../../errors.ts'
import type { EdgeEngine } from '../../http/edge-engine.ts'
import { mayExplain } from '../../policy/may-explain.ts'
import { permissionsFor } from '../../policy/permissions.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { followedBy } from '../../resource/effects/declared-changes.ts'
import { text } from '../../resource/fields/text.ts'
import { jobType } from '../../resource/jobs/define-job.ts'
import { isTrash } from '../../resource/made/shown-resources.ts'
import type { Principal } from '../../resource/principal.ts'
import { anyone } from '../../resource/rules/anyone.ts'
import { scheduleType } from '../../resource/schedules/define-schedule.ts'
import { findWebhooks } from '../../resource/webhooks/find-webhooks.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'
import { answerTold, type ToldRouteDeps } from '../told-answer.ts'
import { type DescribedResource, describeResource, summarizeResource } from './describe-resource.ts'
import { tenanciesFor } from './tenancies-told.ts'

const resourcesPath = `${apiPrefix}/_resources`

const resourcesTag: RouteTag = {
  name: 'Resources',
  description: 'The declarations, for front ends that make lists and forms from them.',
  isOfRecords: true,
}

const someObject = { type: 'object', additionalProperties: true } as const

const tenanciesField = value()(
  {
    type: 'array',
    items: someObject,
    description: 'The tenants that the caller is a member of; `isAbove`: it reaches all of them.',
  },
  { required: true },
)

/** The parts that an application has or has not, and that have pages for its operator. */
function worksOf({ parts, files, resources }: Pick<Catalog, 'parts' | 'files' | 'resources'>): readonly string[] {
  return [
    ...(parts.of(jobType).length > 0 ? ['jobs'] : []),
    ...(parts.of(scheduleType).length > 0 ? ['schedules'] : []),
    ...(files ? ['files'] : []),
    ...(hasChanges({ resources }) ? ['feed'] : []),
    ...(findWebhooks({ resources }) ? ['webhooks'] : []),
  ]
}

function hasChanges({ resources }: Pick<Catalog, 'resources'>): boolean {
  return [...resources.values()].some((one) => followedBy(one))
}

/** `tenancies`: only in applications that have tenants. */
const listed = ({ catalog }: RouteContext) =>
  bodyShape('The resources that the caller may use.', {
    resources: value()(
      { type: 'array', items: someObject, description: 'In the order of the declarations.' },
      { required: true },
    ),
    operates: value()(
      {
        type: 'boolean',
        description: 'Whether the caller runs the service, and may use the routes below `/_operate`.',
      },
      { required: true },
    ),
    ...(worksOf(catalog).length > 0 && {
      works: value()(
        {
          type: 'array',
          items: {
            type: 'string',
            enum: ['jobs', 'schedules', 'files', ...(hasChanges(catalog) ? ['feed', 'webhooks'] : [])],
          },
          description: 'For the caller who runs the service: which of these the application has.',
        },
        { required: true },
      ),
    }),
    ...(catalog.hasErasures && {
      erases: value()(
        { type: 'boolean', description: 'Whether the caller may use the route `/_erasures`.' },
        { required: true },
      ),
    }),
    ...(catalog.tenancies.size > 0 && { tenancies: tenanciesField }),
  })

function operates({ catalog: { roles } }: EdgeEngine, principal: Principal): boolean {
  return principal.kind === 'user' && principal.scopes === null && roles.reaches(principal.role, roles.operator)
}

/** An erasure needs a session of the operator. */
function erases(engine: EdgeEngine, principal: Principal): boolean {
  if (principal.kind !== 'user' || principal.viewer) return false
  return principal.sessionId !== undefined && operates(engine, principal)
}

/** The resources of which the caller may use an operation. */
function describedFor(engine: EdgeEngine, principal: Principal, slug?: string): DescribedResource[] {
  const { catalog, policy, settings } = engine
  return [...catalog.resources.values()]
    .filter((resource) => !isTrash(resource) && (slug === undefined || resource.slug === slug))
    .map((resource) => permissionsFor({ catalog, policy }, principal, resource))
    .filter(({ operations }) => Object.values(operations).some((extent) => extent !== 'none'))
    .map((permissions) => ({
      catalog,
      settings,
      permissions,
      mayExplain: mayExplain(engine, principal, permissions.resource),
    }))
}

/** Throws `not-found` for a name that is not in the list of this caller. */
function describeNamed(engine: EdgeEngine, principal: Principal, slug: string) {
  const found = describedFor(engine, principal, slug)[0]
  if (!found) throw new ApiError('not-found', 'Resource not found')
  return describeResource(found)
}

const access = { rule: ruleAccess(anyone), limits: { rate: 'read' }, isRaw: true } as const

const listRoute = (ground: RouteContext) =>
  defineRoute({
    method: 'GET',
    path: resourcesPath,
    describe: {
      id: 'listResources',
      tag: resourcesTag,
      summary: 'List the resources',
      about:
        'The resources that the caller may use: names, labels and paths. With the operations that the caller may do on all or some records. Allowed: anyone.',
      line: { operation: 'resources', who: 'anyone', answers: '200 the resources that the caller may use' },
    },
    ...access,
    output: {
      200: documentedResponse('The resources that the caller may use.', {
        headers: ['ETag'],
        body: mediaBody({ 'application/json': { shape: listed(ground) } }),
      }),
      304: notModifiedResponse,
    },
    errors: ['bad-request', 'unauthenticated', ...(ground.catalog.tenancies.size > 0 ? (['not-found'] as const) : [])],
    run: ({ request }, deps: ToldRouteDeps) =>
      answerTold(deps, request, (principal) => {
        const { engine } = deps
        const resources = describedFor(engine, principal).map(summarizeResource)
        const asked = { principal, slugs: resources.map(({ slug }) => slug) }
        const works = worksOf(engine.catalog)
        const hasTenants = engine.catalog.tenancies.size > 0
        return {
          resources,
          operates: operates(engine, principal),
          ...(works.length > 0 && { works: operates(engine, principal) ? works : [] }),
          ...(engine.catalog.hasErasures && { erases: erases(engine, principal) }),
          ...(hasTenants && { tenancies: tenanciesFor(engine, asked) }),
        }
      }),
  })

const oneRoute = defineRoute({
  method: 'GET',
  path: `${resourcesPath}/:resource`,
  describe: {
    id: 'getResource',
    tag: resourcesTag,
    summary: 'Get a resource',
    about:
      'The declaration of a resource, as far as the caller may use it. It has the fields that the caller sees or sets, actions, children, and the facts of its list. Allowed: anyone.',
    line: { operation: 'resource', who: 'anyone', answers: '200 the resource' },
  },
  ...access,
  parameters: { resource: text({ required: true, description: 'The resource, as scopes of keys name it.' }) },
  output: {
    200: documentedResponse('The resource.', {
      headers: ['ETag'],
      body: mediaBody({ 'application/json': { schema: someObject } }),
    }),
    304: notModifiedResponse,
  },
  errors: ['bad-request', 'unauthenticated', 'not-found'],
  run: ({ request, parameters }, deps: ToldRouteDeps) =>
    answerTold(deps, request, (principal) => describeNamed(deps.engine, principal, parameters.resource)),
})

export function resourcesRoutes(ground: RouteContext): RouteGroup<ToldRouteDeps> {
  return { routes: [listRoute(ground), oneRoute] }
}
