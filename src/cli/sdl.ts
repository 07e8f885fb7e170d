/** `bindery sdl`: the GraphQL schema of the declarations, in the schema definition language. */
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { loadCatalog } from './console.ts'
import type { Output } from './output.ts'

export function addSdl(program: Command, output: Output): void {
  program
    .command('sdl')
    .description('print the GraphQL schema')
    .addHelpText('after', '\nExamples:\n  $ bindery sdl > schema.graphql\n  $ bindery sdl --json | jq -r .sdl')
    .action(async () => {
      const { settings } = readConfig()
      const { printSdl } = await import('../graphql/sdl.ts')
      const sdl = printSdl(await loadCatalog(), settings).trimEnd()
      await (output.json ? output.value({ sdl }) : output.write(`${sdl}\n`))
    })
}
