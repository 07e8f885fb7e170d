/** `bindery serve`: the same server as `npm start`. */
import type { Command } from 'commander'
import { readConfig, variables } from '../config.ts'
import { loadDeclarations } from './console.ts'
import type { Output } from './output.ts'

function environmentHelp(): string {
  const width = Math.max(...variables.map(({ name }) => name.length))
  const lines = variables.map(
    ({ name, value, about }) => `  ${name.padEnd(width)}  ${about}${value === '' ? '' : ` (${value})`}`,
  )
  return `\nEnvironment:\n${lines.join('\n')}\n\nExamples:\n  $ bindery serve\n  $ PORT=8080 DATA_DIR=/var/lib/bindery bindery serve`
}

export function addServe(program: Command, _output: Output): void {
  program
    .command('serve')
    .description('serve REST and GraphQL until stopped')
    .addHelpText('after', environmentHelp)
    .action(async () => {
      const config = readConfig()
      const { serve } = await import('../main.ts')
      await serve(config, await loadDeclarations())
    })
}
