/** `bindery serve`: the same server as `npm start`. */
import type { Command } from 'commander'
import { environmentHelp, readConfig } from '../config.ts'
import type { Cli } from './console.ts'

const examples = '\nExamples:\n  $ bindery serve\n  $ PORT=8080 DATA_DIR=/var/lib/bindery bindery serve'

export function addServe(program: Command, cli: Cli): void {
  program
    .command('serve')
    .description('serve REST and GraphQL until stopped')
    .addHelpText('after', () => `\n${environmentHelp()}${examples}`)
    .action(async () => {
      const config = readConfig()
      const { serve } = await import('../service/serving.ts')
      await serve(config, await cli.loadDeclarations())
    })
}
