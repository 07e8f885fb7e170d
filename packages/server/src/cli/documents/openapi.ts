/** `bindery openapi`: the OpenAPI document of the declarations. */
import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { type Cli, loadCatalog } from '../console.ts'

export function addOpenapi(program: Command, cli: Cli): void {
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .addHelpText('after', '\nExamples:\n  $ bindery openapi > openapi.json\n  $ bindery openapi --json | jq .paths')
    .action(async () => {
      const { settings } = readConfig()
      const { printed } = await import('./check-documents.ts')
      const text = printed.openapi(await loadCatalog(cli), settings)
      await (cli.output.json ? cli.output.value(JSON.parse(text)) : cli.output.write(text))
    })
}
