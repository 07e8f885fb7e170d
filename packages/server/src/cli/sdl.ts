/** `bindery sdl`: the GraphQL schema of the declarations, in the schema definition language. */
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { type Cli, loadCatalog } from './console.ts'

export function addSdl(program: Command, cli: Cli): void {
  program
    .command('sdl')
    .description('print the GraphQL schema')
    .addHelpText('after', '\nExamples:\n  $ bindery sdl > schema.graphql\n  $ bindery sdl --json | jq -r .sdl')
    .action(async () => {
      const { settings } = readConfig()
      const { printSdl } = await import('../graphql/print-sdl.ts')
      const sdl = printSdl(await loadCatalog(cli), settings).trimEnd()
      await (cli.output.json ? cli.output.value({ sdl }) : cli.output.write(`${sdl}\n`))
    })
}
