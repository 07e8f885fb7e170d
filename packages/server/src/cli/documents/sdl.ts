/** `bindery sdl`: prints the GraphQL schema of the declarations. */
import type { Command } from 'commander'
import { type CommandContext, loadDocumented } from '../console.ts'

export function addSdl(program: Command, cli: CommandContext): void {
  program
    .command('sdl')
    .description('print the GraphQL schema')
    .addHelpText('after', '\nExamples:\n  $ bindery sdl > schema.graphql\n  $ bindery sdl --json | jq -r .sdl')
    .action(async () => {
      const { catalog, settings } = await loadDocumented(cli)
      const { printed } = await import('./check-documents.ts')
      const text = printed.sdl(catalog, settings)
      await (cli.output.json ? cli.output.value({ sdl: text.trimEnd() }) : cli.output.write(text))
    })
}
