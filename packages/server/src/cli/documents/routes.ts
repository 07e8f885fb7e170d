/**
 * `bindery routes`: lists every path of the server, its callers, and its response. Derived from the
 * declarations.
 */
import type { Command } from 'commander'
import { makeTable } from '../../command/table.ts'
import { resultRuleOf, ruleOfTarget } from '../../policy/rule-of.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { isEngineOperation } from '../../resource/operation-kind.ts'
import { typeNameOf } from '../../resource/words/names.ts'
import type { Route } from '../../rest/route.ts'
import { type CommandContext, loadDocumented } from '../console.ts'
import { describeRule, describeRules, type ResourceRule, type RuleContext } from './describe-rules.ts'
import type { RouteLine } from './documented-routes.ts'

function deedOf({ summarizes, compares, target }: Route): string {
  if (summarizes) return 'summarize'
  return compares ? 'compare' : target.operation
}

function answersOf(catalog: Catalog, route: Route): string {
  const { many, upserts, summarizes, compares, target } = route
  const { resource, operation } = target
  const name = resource.typeName
  if (summarizes) return `200 groups of ${typeNameOf(resource.plural)}`
  if (compares) return `200 what differs between two ${typeNameOf(resource.plural)}`
  if (many) return '200 how many a filter found'
  if (upserts) return `200 or 201 ${name}`
  if (!isEngineOperation(operation)) {
    const action = resource.actions[operation]
    if (action?.job) return `202 job ${action.job.add.partName}`
    if (action?.output) return `200 ${Object.keys(action.output).join(', ')}`
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

/** `above`: the rules of the records above in the path. */
function lineOf({ catalog, settings }: RuleContext, route: Route, above: readonly ResourceRule[]): RouteLine {
  const { resource } = route.target
  const context = { catalog, settings }
  const who = describeRules(context, [...above, { resource, rule: ruleOfTarget(route.target) }])
  const after = resultRuleOf(route.target)
  return {
    method: route.method,
    path: route.path,
    operation: `${deedOf(route)} ${resource.slug}`,
    who: after === ruleOfTarget(route.target) ? who : `${who}; result: ${describeRule(context, resource, after)}`,
    answers: answersOf(catalog, route),
  }
}

export function addRoutes(program: Command, cli: CommandContext): void {
  program
    .command('routes')
    .description('list every path: who may ask, and what comes back')
    .addHelpText(
      'after',
      '\nA role means that role, a higher one, or one with all of its abilities.\n\nExamples:\n  $ bindery routes | grep DELETE\n  $ bindery routes --json | jq -r \'.[] | select(.who == "anyone") | .path\'',
    )
    .action(async () => {
      const { makeBulkRoutes, makeRoutes, makeUpsertRoutes, rulesAbove } = await import('../../rest/route.ts')
      const { differencesOf } = await import('../../rest/lists/difference-routes.ts')
      const { summariesOf } = await import('../../rest/lists/summary-routes.ts')
      const { catalog, settings } = await loadDocumented(cli)
      const routes = makeRoutes(catalog).flatMap((route) => [route, ...summariesOf(route), ...differencesOf(route)])
      const { documentedLines, wordedLines } = await import('./documented-routes.ts')
      const { engineRoutes } = await import('../../service/engine-routes.ts')
      const own = engineRoutes({ catalog, settings })
      const declared = [...routes, ...makeBulkRoutes(catalog), ...makeUpsertRoutes(catalog)].map((route) =>
        lineOf({ catalog, settings }, route, rulesAbove(route, { catalog, settings })),
      )
      const worded = wordedLines(own)
      const known = new Set(
        [...declared, ...worded].flatMap(({ method, path }) => method.split(', ').map((one) => `${one} ${path}`)),
      )
      const lines = [...declared, ...documentedLines({ catalog, settings, own }, known), ...worded]
      if (cli.output.json) return cli.output.value(lines)
      await cli.output.write(makeTable(['method', 'path', 'operation', 'who', 'answers']).print(lines))
    })
}
