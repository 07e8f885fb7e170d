/**
 * Makes the OpenAPI 3.1 document from the declarations and the server's own routes. Equal
 * declarations and settings give equal bytes. It knows no resource by name.
 */

import type { CredentialScheme, EngineRoutes } from '../endpoint/define-route.ts'
import { listLimits } from '../operation/list-limits.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { listOnlyOperators, type Operator, operators } from '../resource/fields/field.ts'
import { isHistory, isTrash } from '../resource/made/shown-resources.ts'
import type { ServiceSettings } from '../resource/rule.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import { describeResource } from '../resource/words/describe-operation.ts'
import { makeRoutes, type Route, templateOf } from '../rest/route.ts'
import { bulkParameters, bulkPaths } from './bulk-operation.ts'
import { type EngineOperations, engineOperations } from './engine-operations.ts'
import { filePaths } from './files/file-operations.ts'
import { formSchemas } from './files/form-body.ts'
import { headerComponents, uploadHeaders } from './headers.ts'
import { differenceOperation, differenceSchemas } from './lists/difference-operation.ts'
import { listSchemas, metaSchemas, resourceAnswers } from './lists/envelopes.ts'
import { allowedSchema } from './lists/expanded.ts'
import { filterSchema } from './lists/filter-parameters.ts'
import { commonParameters, resourceParameters } from './lists/list-parameters.ts'
import { namesSchema } from './lists/query-parameter.ts'
import {
  aboutSummaries,
  summaryAnswers,
  summaryOperation,
  summaryParameters,
  summarySchemas,
} from './lists/summary-operation.ts'
import { nodesOf, type OpenapiNode, refTo } from './openapi-node.ts'
import { commonAnswers, type OperationContext, operationOf, routedResources } from './operation-object.ts'
import { idSchema, pathParameters } from './operation-parameters.ts'
import { describeOtherPaths, documentedOnce } from './other-paths.ts'
import { commonSchemas, errorComponents } from './responses.ts'
import { operationIdsOf, pluralLabelOf, withIdsApart } from './schema-names.ts'
import { resourceSchemas, revealedNames, shownResources } from './schemas.ts'
import { schemeNodes, usualSecurity, waysOf, withoutUsual } from './security.ts'
import { usualAddress } from './server-address.ts'
import { shareProperties } from './shared-properties.ts'
import { withComponents } from './used-components.ts'
import { webhookRequests } from './webhooks/webhook-requests.ts'

function aboutDeprecation(catalog: Catalog): readonly string[] {
  const isLeaving = [...catalog.resources.values()].some(
    ({ deprecated, deprecatedOperations }) => deprecated ?? Object.keys(deprecatedOperations ?? {}).length > 0,
  )
  return isLeaving
    ? [
        'Deprecated operations answer with `Deprecation`, with `Sunset` where their end is known, and with a `Link` to more about it.',
      ]
    : []
}

/** Documents without lists of their own are as they were before there were such lists. */
function operatorsOf(catalog: Catalog): readonly Operator[] {
  const fields = [...catalog.resources.values()].flatMap((resource) => Object.values(resource.fields))
  const isUsed = (operator: Operator) => fields.some(({ type }) => type.operators.includes(operator))
  return [...operators, ...listOnlyOperators.filter(isUsed)]
}

function infoOf({ catalog, settings: { currency } }: OperationContext): OpenapiNode {
  return {
    title: 'Bindery',
    version: apiPrefix.slice(apiPrefix.lastIndexOf('v') + 1),
    summary: 'Resources over REST and GraphQL, made from declarations.',
    description: [
      `Amounts are in ${currency}. Times are RFC 3339 in UTC with milliseconds.`,
      'An unknown query parameter is 400, and so is a repeated one that is no list. Wherever GET works, HEAD does. A known path with another method is 405 with `Allow`.',
      'A record that the caller may not see does not exist: 404. Every answer has security headers for browsers, and CORS headers for other origins. `Cache-Control` and `Vary` say which caches may keep it, and `RateLimit-Policy` the rate limit, where there is one: `"client";q=600;w=60`.',
      `\`filter\` is a JSON object, 8,000 characters at most: fields with operators (${operatorsOf(catalog)
        .map((one) => `\`${one}\``)
        .join(
          ', ',
        )}), \`and\`, \`or\` and \`not\`. References take a filter of their own. Lists also take \`field=value\` and \`field[operator]=value\`.`,
      'A write of a record takes `If-Match` with the `ETag` of a read, such as `"1"`. It is 412 unless that version is still stored. PUT and PATCH take a read-only field with its stored value.',
      'Every write of records takes an `Idempotency-Key`, such as `"8e03978e-40d5-43dd-bc93-6894a57f9324"`, which makes a retry safe. The same key does it once; a repeated answer has `Idempotency-Replayed`. Imports and GraphQL take none.',
      'With `Prefer` a client asks for less: `return=minimal` (no body), `count=none` (no total), `dry-run` (nothing is stored); `Preference-Applied` says what was followed. With `If-None-Match`, what it knows already is 304. With `Accept: application/problem+json`, errors are as RFC 9457 has them.',
      `\`expand\` names references and children, to three levels: \`items(limit:10).product\`; it shows what the caller may see. At most 20 of them, 100 \`fields\`, and ${listLimits.sortKeysMax} keys to sort by. With \`x-also-at\` a path says where else it is served.`,
      aboutSummaries(catalog),
      ...aboutChanges(catalog),
      ...aboutDeprecation(catalog),
    ].join('\n\n'),
    contact: { name: 'The people who run this service' },
    license: { name: 'MIT', identifier: 'MIT' },
  }
}

function aboutChanges({ resources }: Catalog): readonly string[] {
  if (![...resources.values()].some(({ shownNames }) => shownNames)) return []
  return ['The answer of a write has `Change-Position`, where its change is kept: its position in the changes.']
}

/** The versioned paths. An operation that other paths also serve is described once. */
function resourcePaths(all: readonly Route[], context: OperationContext): OpenapiNode {
  const { routes, elsewhere } = documentedOnce(all)
  const ids = operationIdsOf(routes)
  const paths: Record<string, OpenapiNode> = {}
  for (const route of routes) {
    const path = templateOf(route)
    const parameters = pathParameters(route)
    const itemAt = (path: string): OpenapiNode => ({
      ...describeOtherPaths(elsewhere(route).map((one) => `${one}${path.slice(templateOf(route).length)}`)),
      ...(parameters.length > 0 ? { parameters: parameters.map(([key]) => refTo('parameters', key)) } : {}),
    })
    const operation = operationOf(route, ids.get(route) as string, context)
    paths[path] = { ...(paths[path] ?? itemAt(path)), [route.method.toLowerCase()]: operation }
    if (route.target.operation === 'list')
      paths[`${path}/summary`] = {
        ...itemAt(`${path}/summary`),
        get: summaryOperation(route, ids.get(route) as string, context),
      }
    if (route.target.operation === 'list' && isHistory(route.target.resource))
      paths[`${path}/difference`] = {
        ...itemAt(`${path}/difference`),
        get: differenceOperation(route, ids.get(route) as string, context),
      }
  }
  for (const [path, operations] of filePaths(context)) paths[path] = operations
  for (const [path, operations] of bulkPaths(context)) paths[path] = { ...paths[path], ...operations }
  return paths
}

type ServedRoutes = {
  readonly routes: readonly Route[]
  readonly own: EngineOperations
  readonly schemes: readonly CredentialScheme[]
}

function componentsOf({ catalog, settings }: OperationContext, { routes, own, schemes }: ServedRoutes): OpenapiNode {
  const routed = routedResources(routes)
  const shown = shownResources(catalog, routed)
  return {
    schemas: shareProperties({
      ...nodesOf(shown.flatMap((resource) => resourceSchemas({ catalog, resource, settings }))),
      ...nodesOf(shown.flatMap((one) => [...listSchemas(one), ...differenceSchemas(one), ...formSchemas(one)])),
      Allowed: allowedSchema,
      ...metaSchemas,
      ...commonSchemas(catalog),
      ...own.schemas.ofRecords,
      ...summarySchemas(catalog),
      ...own.schemas.others,
      ...nodesOf([idSchema, namesSchema, filterSchema]),
    }),
    responses: {
      ...nodesOf(shown.flatMap((one) => resourceAnswers(one, { reveals: revealedNames(one).length > 0 }))),
      ...commonAnswers,
      ...summaryAnswers,
      ...own.answers,
      ...errorComponents(),
    },
    parameters: {
      ...nodesOf([...commonParameters, ...shown.flatMap(resourceParameters), ...routes.flatMap(pathParameters)]),
      ...summaryParameters,
      ...bulkParameters,
    },
    headers: { ...headerComponents, ...(catalog.files && uploadHeaders) },
    securitySchemes: schemeNodes(schemes),
  }
}

/**
 * Returns plain JSON. The settings decide between the two rules of an `onlyWhen`. `own`: routes
 * that belong to no resource.
 */
export function makeOpenapi(catalog: Catalog, settings: ServiceSettings, own: EngineRoutes): object {
  const routes = makeRoutes(catalog)
  const routed = routedResources(routes)
  const inOrder = [...catalog.resources.values()].filter((resource) => routed.has(resource) && !isTrash(resource))
  const schemes = own.flatMap(({ credentials = [] }) => credentials)
  const context = { catalog, settings, ways: waysOf(schemes) }
  const ofResources = resourcePaths(routes, context)
  const parts = engineOperations(own, context, ofResources)
  const known = Object.entries({ ...ofResources, ...nodesOf(parts.paths) }).map(
    ([path, node]) => [path, node as OpenapiNode] as const,
  )
  const security = usualSecurity(known)
  const items = withIdsApart(known.map(([path, item]) => [path, withoutUsual(item, security)] as const))
  const tagOf = (resource: Resource): OpenapiNode => ({
    name: pluralLabelOf(resource),
    description: describeResource(catalog, resource),
  })
  const ofRecords = inOrder.map(tagOf)
  const document = {
    openapi: '3.1.0',
    info: infoOf(context),
    servers: [{ url: usualAddress, description: 'This service.' }],
    tags: [...ofRecords, ...parts.tags.filter(({ name }) => !ofRecords.some((one) => one.name === name))],
    security,
    paths: nodesOf(items),
    ...webhookRequests(context),
  }
  return withComponents(document, componentsOf(context, { routes, own: parts, schemes }))
}
