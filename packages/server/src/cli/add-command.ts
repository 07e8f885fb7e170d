/** Adds the commands that features define to the program, as commands of its parser. */
import type { Command as Program } from 'commander'
import type { Command, Console } from '../command/define-command.ts'
import { readConfig } from '../config.ts'
import { keepSecret } from '../storage/open.ts'
import { type CommandContext, withEngine } from './console.ts'

function consoleOf(cli: CommandContext): Console {
  return {
    output: cli.output,
    withEngine: (work) => withEngine(cli, work),
    async keptSecret() {
      const { database, jwtSecret, signing } = readConfig()
      return {
        insteadOfIt: signing ? 'key pair' : jwtSecret === undefined ? undefined : 'variable',
        where: database.kind.secretAt,
        keep: (drawn) => keepSecret(database, drawn),
        replace: (text) => database.kind.replaceSecret(database.setup, text),
      }
    },
  }
}

export function addCommand(program: Program, cli: CommandContext, command: Command): void {
  const { name, alias, about, examples = [], argument, options = {}, commands = [], run } = command
  const added = program.command(name).description(about)
  if (alias !== undefined) added.alias(alias)
  if (argument) added.argument(argument.name, argument.about)
  for (const { flag, about, isRequired } of Object.values(options))
    if (isRequired) added.requiredOption(flag, about)
    else added.option(flag, about)
  if (examples.length > 0) added.addHelpText('after', `\nExamples:\n${examples.map((one) => `  $ ${one}`).join('\n')}`)
  for (const below of commands) addCommand(added, cli, below)
  if (!run) return
  added.action((...sent: readonly unknown[]) => {
    const [argumentSent, optionsSent] = argument ? sent : [undefined, sent[0]]
    return run.call(command, { argument: argumentSent, options: optionsSent } as never, consoleOf(cli))
  })
}
