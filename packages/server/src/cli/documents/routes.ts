/** `bindery routes`: every path that the server answers, who may ask, and what comes back. Derived from the declarations. */
import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { ruleAfter, ruleOf } from '../../policy/rule-of.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { isEngineOperation } from '../../resource/operation-kind.ts'
import { typeNameOf } from '../../resource/words/names.ts'
import type { Route } from '../../rest/route.ts'
import { type Cli, loadCatalog } from '../console.ts'
import { makeTable } from '../terminal/table.ts'
import type { Line } from './documented-routes.ts'
import { type Context, describeRule, describeRules, type RuleOf } from './who.ts'

function answersOf(catalog: Catalog, { target: { resource, operation }, many, upserts }: Route): string {
  const name = resource.typeName
  if (many) return '200 how many a filter found'
  if (upserts) return `200 or 201 ${name}`
  if (!isEngineOperation(operation)) {
    const action = resource.actions[operation]
    const returned = action?.returns === undefined ? name : catalog.get(action.returns).typeName
    return `${action?.creates ? 201 : 200} ${returned}`
  }
  switch (operation) {
    case 'list':
      return {
        all: `200 all ${typeNameOf(resource.plural)}`,
        page: `200 page of ${name}`,
        cursor: `200 ${typeNameOf(resource.plural)} by cursor`,
      }[resource.list.style]
    case 'create':
      return `201 ${name}`
    case 'delete':
      return '204'
    case 'import':
      return '200 counts of lines'
    case 'export':
      return `200 NDJSON of ${name}`
    case 'get':
    case 'replace':
    case 'update':
      return `200 ${name}`
  }
}

/** `above` are the rules of the records above in the path. */
function lineOf({ catalog, settings }: Context, route: Route, above: readonly RuleOf[]): Line {
  const { resource, operation } = route.target
  const context = { catalog, settings }
  const who = describeRules(context, [...above, { resource, rule: ruleOf(route.target) }])
  const after = ruleAfter(route.target)
  return {
    method: route.method,
    path: route.path,
    operation: `${route.summarizes ? 'summarize' : operation} ${resource.slug}`,
    who: after === ruleOf(route.target) ? who : `${who}; result: ${describeRule(context, resource, after)}`,
    answers: route.summarizes ? `200 groups of ${typeNameOf(resource.plural)}` : answersOf(catalog, route),
  }
}

const serviceLines: readonly Line[] = [
  { method: 'GET', path: '/', operation: 'index', who: 'anyone', answers: '200 links; a page in a browser' },
  { method: 'GET', path: '/docs', operation: 'reference', who: 'anyone', answers: '200 a page' },
  { method: 'POST', path: '/mcp', operation: 'tools', who: 'as each tool says', answers: '200 MCP, where it is on' },
  {
    method: 'GET, POST',
    path: '/graphql',
    operation: 'query, mutation',
    who: 'as each field says',
    answers: '200 GraphQL; GraphiQL in a browser',
  },
  {
    method: 'POST',
    path: '/api/v1/batch',
    operation: 'batch',
    who: 'as each operation says',
    answers: '200 what became of each',
  },
  {
    method: 'GET',
    path: '/graphql/scalars',
    operation: 'scalars',
    who: 'anyone',
    answers: '200 a page: what Money and DateTime are',
  },
  { method: 'GET', path: '/errors', operation: 'errors', who: 'anyone', answers: '200 a page: what each code means' },
  { method: 'GET', path: '/openapi.json', operation: 'document', who: 'anyone', answers: '200 OpenAPI' },
  { method: 'GET', path: '/status', operation: 'status', who: 'ADMIN', answers: '200 numbers; a page in a browser' },
  { method: 'GET', path: '/livez', operation: 'health', who: 'anyone', answers: '200 while the process lives' },
  { method: 'GET', path: '/readyz', operation: 'health', who: 'anyone', answers: '200 while it can serve, else 503' },
]

export function addRoutes(program: Command, cli: Cli): void {
  program
    .command('routes')
    .description('list every path: who may ask, and what comes back')
    .addHelpText(
      'after',
      '\nA role means that role or a higher one: USER < EDITOR < ADMIN.\n\nExamples:\n  $ bindery routes | grep DELETE\n  $ bindery routes --json | jq -r \'.[] | select(.who == "anyone") | .path\'',
    )
    .action(async () => {
      const { settings } = readConfig()
      const { makeBulkRoutes, makeRoutes, makeUpsertRoutes, rulesAbove } = await import('../../rest/route.ts')
      const { summariesOf } = await import('../../rest/lists/summary-routes.ts')
      const catalog = await loadCatalog(cli)
      const routes = makeRoutes(catalog).flatMap((route) => [route, ...summariesOf(route)])
      const { documentedLines } = await import('./documented-routes.ts')
      const declared = [...routes, ...makeBulkRoutes(catalog), ...makeUpsertRoutes(catalog)].map((route) =>
        lineOf({ catalog, settings }, route, rulesAbove(route, { catalog, settings })),
      )
      const own = [...declared, ...serviceLines]
      const known = new Set(own.flatMap(({ method, path }) => method.split(', ').map((one) => `${one} ${path}`)))
      const lines = [...declared, ...documentedLines(catalog, settings, known), ...serviceLines]
      if (cli.output.json) return cli.output.value(lines)
      await cli.output.write(makeTable(['method', 'path', 'operation', 'who', 'answers']).print(lines))
    })
}
