/** `bindery openapi`: prints the OpenAPI document of the declarations. */
import type { Command } from 'commander'
import { type CommandContext, loadDocumented } from '../console.ts'

export function addOpenapi(program: Command, cli: CommandContext): void {
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .addHelpText('after', '\nExamples:\n  $ bindery openapi > openapi.json\n  $ bindery openapi --json | jq .paths')
    .action(async () => {
      const { catalog, settings } = await loadDocumented(cli)
      const { printed } = await import('./check-documents.ts')
      const text = printed.openapi(catalog, settings)
      await (cli.output.json ? cli.output.value(JSON.parse(text)) : cli.output.write(text))
    })
}
