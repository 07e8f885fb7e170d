/** `bindery start`, or `bindery serve`: the same server as `runService`. */
import cluster from 'node:cluster'
import { once } from 'node:events'
import { type Command, Option } from 'commander'
import { flushCompiled } from '../../base/compile-cache.ts'
import { environmentHelp, readConfig } from '../../config.ts'
import { ownVersion } from '../../create/own-version.ts'
import { StartError } from '../../errors.ts'
import { newDatabaseFlag } from '../../storage/database-kind.ts'
import type { CommandContext } from '../console.ts'

const examples = '\nExamples:\n  $ bindery start\n  $ PORT=8080 DATA_DIR=/var/lib/bindery bindery start'

const uncheckedText = 'do not look at the types of the application first'

/** Throws `StartError` with the type errors: an application that does not compile is not served. */
async function refuseMistakes(file: string): Promise<void> {
  const folder = process.cwd()
  const { checkServed } = await import('../../develop/type-check.ts')
  const { printBuildProblem } = await import('../../develop/build-problem.ts')
  const { mistakes = [] } = await checkServed(folder, file, ownVersion())
  if (mistakes.length === 0) return
  const { clearTypes } = await import('../develop/clear-types.ts')
  const printed = clearTypes(mistakes).map((mistake) => printBuildProblem(folder, mistake))
  throw new StartError(`The application does not compile:\n${printed.join('\n')}`)
}

/** Loads the engine, then waits for a message of the parent process. It ends with the parent. */
async function waitForWord(): Promise<void> {
  process.once('disconnect', () => process.exit(0))
  const word = once(process, 'message')
  await import('../../service/serving.ts')
  flushCompiled()
  await word
  process.channel?.unref() // otherwise the channel would keep a process alive that failed to start
}

type ServeFlags = { readonly unchecked?: boolean; readonly onWord?: boolean }

async function serveUntilStopped(
  { loadDeclarations, findFile }: CommandContext,
  { unchecked = false, onWord = false }: ServeFlags,
): Promise<void> {
  // workers inherit the arguments of the process
  if (onWord && cluster.isPrimary) await waitForWord()
  const config = readConfig()
  if (findFile && !unchecked && cluster.isPrimary) await refuseMistakes(findFile())
  const { serveApplication } = await import('../../service/serving.ts')
  await serveApplication(config, await loadDeclarations(), { isDeveloped: onWord })
}

export function addServe(program: Command, cli: CommandContext): void {
  const add = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .option('--unchecked', uncheckedText)
      .option(newDatabaseFlag, 'make a new, empty database although there was one; its log is moved aside')
      .addOption(new Option('--on-word', 'wait for a message of the parent process').hideHelp())
      .addHelpText('after', () => `\n${environmentHelp()}${examples}`)
      .action((options: ServeFlags) => serveUntilStopped(cli, options))
  add('start', 'serve REST and GraphQL until stopped')
  add('serve', 'the same as start')
}
