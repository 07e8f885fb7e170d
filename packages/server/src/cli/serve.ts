/** `bindery start`, or `bindery serve`: the same server as `runService`. */
import type { Command } from 'commander'
import { environmentHelp, readConfig } from '../config.ts'
import type { Cli } from './console.ts'

const examples = '\nExamples:\n  $ bindery start\n  $ PORT=8080 DATA_DIR=/var/lib/bindery bindery start'

async function serveUntilStopped({ loadDeclarations }: Cli): Promise<void> {
  const config = readConfig()
  const { serve } = await import('../service/serving.ts')
  await serve(config, await loadDeclarations())
}

export function addServe(program: Command, cli: Cli): void {
  const add = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .addHelpText('after', () => `\n${environmentHelp()}${examples}`)
      .action(() => serveUntilStopped(cli))
  add('start', 'serve REST and GraphQL until stopped')
  add('serve', 'the same as start')
}
