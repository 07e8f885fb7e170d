/**
 * `bindery types`: prints the API's types for TypeScript, for the client (`createClient<paths>`).
 */
import type { Command } from 'commander'
import { type CommandContext, loadDocumented } from '../console.ts'

export function addTypes(program: Command, cli: CommandContext): void {
  program
    .command('types')
    .description('print the TypeScript types of the API, for bindery-server/client')
    .addHelpText('after', '\nExamples:\n  $ bindery types > api.ts\n  $ bindery types --json | jq -r .types')
    .action(async () => {
      const { catalog, settings } = await loadDocumented(cli)
      const { makeOpenapi } = await import('../../openapi/make-openapi.ts')
      const { printTypes } = await import('../../openapi/print-types.ts')
      const { engineRoutes } = await import('../../service/engine-routes.ts')
      const types = printTypes(makeOpenapi(catalog, settings, engineRoutes({ catalog, settings })))
      await (cli.output.json ? cli.output.value({ types }) : cli.output.write(types))
    })
}
