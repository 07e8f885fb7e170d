/**
 * The OpenAPI 3.1 document of the service, made from the declarations and from the routes that serve them. The same declarations
 * and settings give the same bytes. It knows no resource by name.
 */
import type { Catalog } from '../resource/catalog.ts'
import type { Settings } from '../resource/rule.ts'
import { apiPrefix, makeBulkRoutes, makeRoutes, makeUpsertRoutes, type Route } from '../rest/route.ts'
import { commonSchemas, errorComponents, headerComponents } from './answers.ts'
import { authParts, knownSchemes, withKnownCredentials } from './auth-paths.ts'
import { commonParameters, resourceParameters } from './list-parameters.ts'
import { type Node, nodesOf } from './node.ts'
import { type Context, operationOf, routedResources } from './operation-object.ts'
import { templateOf } from './operation-parameters.ts'
import { operationIdsOf, pluralLabelOf } from './schema-names.ts'
import { resourceSchemas, shownResources } from './schemas.ts'
import { securitySchemes } from './security.ts'
import { summaryOperation } from './summary-operation.ts'
import { systemPaths, systemSchemas, systemTags } from './system.ts'
import { batchPaths, bulkOperationOf, upsertOperationOf, writeParameters } from './write-parts.ts'

function infoOf({ currency }: Settings): Node {
  return {
    title: 'Bindery',
    version: apiPrefix.slice(apiPrefix.lastIndexOf('v') + 1),
    description: [
      `Amounts are in ${currency}. Times are RFC 3339 in UTC with milliseconds.`,
      'An unknown or repeated query parameter is 400. Wherever GET works, HEAD does. A known path with another method is 405 with `Allow`.',
      'A record that the caller may not see does not exist: 404.',
    ].join('\n\n'),
  }
}

function resourcePaths(routes: readonly Route[], context: Context): Node {
  const ids = operationIdsOf(routes)
  const paths: Record<string, Node> = {}
  const operationFor = (route: Route) => {
    if (route.many) return bulkOperationOf(route, context)
    if (route.upserts) return upsertOperationOf(route, context)
    return operationOf(route, ids.get(route) as string, context)
  }
  for (const route of [...routes, ...makeBulkRoutes(context.catalog), ...makeUpsertRoutes(context.catalog)]) {
    const path = templateOf(route)
    const operation = operationFor(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
    if (route.target.operation === 'list')
      paths[`${path}/summary`] = { get: summaryOperation(route, ids.get(route) as string, context) }
  }
  return paths
}

/** Returns plain JSON. The settings decide between the two rules of an `onlyWhen`. */
export function makeOpenapi(catalog: Catalog, settings: Settings): object {
  const routes = makeRoutes(catalog)
  const routed = routedResources(routes)
  const inOrder = [...catalog.resources.values()].filter((resource) => routed.has(resource))
  const shown = shownResources(catalog, routed)
  const auth = authParts(catalog)
  const paths = {
    ...resourcePaths(routes, { catalog, settings }),
    ...nodesOf(auth.paths),
    ...nodesOf(batchPaths),
    ...nodesOf(systemPaths),
  }
  return {
    openapi: '3.1.0',
    info: infoOf(settings),
    servers: [{ url: '/' }],
    tags: [...inOrder.map((resource) => ({ name: pluralLabelOf(resource) })), ...auth.tags, ...systemTags],
    paths: nodesOf(
      Object.entries(paths).map(([path, node]) => [path, withKnownCredentials(catalog, node as Node)] as const),
    ),
    components: {
      schemas: {
        ...nodesOf(shown.flatMap((resource) => resourceSchemas(catalog, resource, settings))),
        ...commonSchemas,
        ...auth.schemas,
        ...systemSchemas,
      },
      responses: errorComponents(),
      parameters: nodesOf([...commonParameters, ...writeParameters, ...inOrder.flatMap(resourceParameters)]),
      headers: headerComponents,
      securitySchemes: knownSchemes(catalog, securitySchemes),
    },
  }
}
