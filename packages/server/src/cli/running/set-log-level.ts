/** `bindery log-level`: changes the log level of running servers on this data folder. */
import type { Command } from 'commander'
import { timestampOf } from '../../base/clock.ts'
import { parseSpan } from '../../base/environment.ts'
import { UsageError } from '../../command/usage-error.ts'
import { logLevels, readConfig } from '../../config.ts'
import type { CommandContext } from '../console.ts'
import { fileError } from '../failure.ts'

function parseFor(text: string): number {
  const ms = parseSpan(text, /^(\d{1,4})([mhd])$/)
  if (ms === undefined) throw new UsageError('--for must be a time such as 15m, 1h or 2d')
  return ms
}

async function run({ output }: CommandContext, level: string, text: string): Promise<void> {
  const { dataDir } = readConfig()
  const names: readonly string[] = logLevels
  if (level !== 'usual' && !names.includes(level)) throw new UsageError(`the level must be usual, ${names.join(', ')}`)
  const until = timestampOf(Date.now() + parseFor(text))
  const { writeRequestedLevel } = await import('../../http/logs/log-level.ts')
  try {
    writeRequestedLevel(dataDir, level === 'usual' ? undefined : { level, until })
  } catch (error) {
    throw fileError('write', `${dataDir}/log-level`, error)
  }
  if (output.json) return output.value(level === 'usual' ? { level } : { level, until })
  await output.write(
    level === 'usual' ? 'As LOG_LEVEL says, within a second.\n' : `${level} until ${until}, within a second.\n`,
  )
}

export function addLogLevel(program: Command, cli: CommandContext): void {
  program
    .command('log-level')
    .description('log more, or less, while the servers of this data folder run; a restart is not needed')
    .argument('<level>', `usual, or one of ${logLevels.join(', ')}`)
    .option('--for <time>', 'until it is as usual again', '1h')
    .addHelpText('after', '\nExamples:\n  $ bindery log-level debug --for 15m\n  $ bindery log-level usual')
    .action((level: string, options: { for: string }) => run(cli, level, options.for))
}
