/**
 * The route `GET /_permissions` lists the operations of each resource that the caller may do, and
 * the fields that the caller sees and sets. So a front end offers only what works.
 */

import { bodyShape } from '../endpoint/body-shape.ts'
import { defineRoute, type RouteGroup, type RouteTag } from '../endpoint/define-route.ts'
import { documentedResponse, mediaBody, notModifiedResponse } from '../endpoint/documented-response.ts'
import { type RouteContext, ruleAccess } from '../endpoint/route-access.ts'
import { value } from '../endpoint/route-fields.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import { extents, permissionsOf, printCaller, printPermissions } from '../policy/permissions.ts'
import type { Json, JsonSchema } from '../resource/fields/field.ts'
import { bodyKinds } from '../resource/operation-kind.ts'
import type { Principal } from '../resource/principal.ts'
import { anyone } from '../resource/rules/anyone.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import { answerTold, type ToldRouteDeps } from './told-answer.ts'

export const permissionsPath = `${apiPrefix}/_permissions`

const permissionsTag: RouteTag = {
  name: 'Permissions',
  description: 'The operations and fields that a caller has.',
  isOfRecords: true,
}

const names = (description: string): JsonSchema => ({ type: 'array', items: { type: 'string' }, description })

const ofOneResource: JsonSchema = {
  type: 'object',
  description: 'The permissions of the caller for one resource.',
  required: ['operations', 'fields'],
  properties: {
    operations: {
      type: 'object',
      description: 'On which of the records that exist for the caller each operation is allowed.',
      additionalProperties: { type: 'string', enum: [...extents] },
    },
    fields: {
      type: 'object',
      description: 'The names of fields.',
      required: ['read', ...bodyKinds],
      properties: {
        read: names('The fields that responses show.'),
        ...Object.fromEntries(
          bodyKinds.map((kind) => [kind, names(`The fields that the body of \`${kind}\` may have.`)]),
        ),
      },
    },
  },
}

const permissions = bodyShape(
  'The permissions of the caller.',
  {
    caller: value()(
      {
        type: ['object', 'null'],
        required: ['id', 'role'],
        properties: {
          id: { type: 'string', description: 'The id of the user.' },
          role: { type: 'string', description: 'The role of the user.' },
          scopes: names('The scopes of the key, where it has some.'),
        },
        description: 'The caller; null without a credential.',
      },
      { required: true },
    ),
    resources: value()(
      {
        type: 'object',
        additionalProperties: ofOneResource,
        description: 'By the name of the resource, as scopes of keys have it.',
      },
      { required: true },
    ),
  },
  { name: 'Permissions' },
)

/** The first resources of the application, as an anonymous caller would be told. */
function exampleOf({ catalog }: RouteContext): Json {
  const [resource] = [...catalog.resources.values()].filter(({ access }) => Object.keys(access).length > 0)
  if (!resource) return { caller: null, resources: {} }
  const operations = Object.fromEntries(Object.keys(resource.access).map((operation) => [operation, 'all']))
  const fields = { read: [...resource.fieldNames], create: [], replace: [], update: [] }
  return { caller: null, resources: { [resource.slug]: { operations, fields } } }
}

function toldPermissions({ catalog, policy }: EdgeEngine, principal: Principal) {
  const resources = printPermissions(permissionsOf({ catalog, policy }, principal))
  return { caller: printCaller(principal), resources }
}

const permissionsRoute = (ground: RouteContext) =>
  defineRoute({
    method: 'GET',
    path: permissionsPath,
    describe: {
      id: 'getPermissions',
      tag: permissionsTag,
      summary: 'List your permissions',
      about:
        'The operations of each resource: `all` for all records that exist for the caller, `some` where the record decides, `none` where each is refused. With the fields that responses show, and those that bodies may have. A key is told what its scopes leave. Allowed: anyone.',
      line: { operation: 'permissions', who: 'anyone', answers: '200 what the caller may do' },
    },
    rule: ruleAccess(anyone),
    limits: { rate: 'read' },
    isRaw: true,
    takesTenant: true,
    output: {
      200: documentedResponse('The permissions of the caller.', {
        headers: ['ETag'],
        body: mediaBody({ 'application/json': { shape: permissions, example: exampleOf(ground) } }),
      }),
      304: notModifiedResponse,
    },
    errors: ['bad-request', 'unauthenticated', ...(ground.catalog.tenancies.size > 0 ? (['not-found'] as const) : [])],
    run: ({ request }, deps: ToldRouteDeps) =>
      answerTold(deps, request, (principal) => toldPermissions(deps.engine, principal)),
  })

export function permissionsRoutes(ground: RouteContext): RouteGroup<ToldRouteDeps> {
  return { routes: [permissionsRoute(ground)], shapes: [permissions] }
}
