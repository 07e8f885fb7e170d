/**
 * What an application runs: its service, or its command line. Each loads the engine when it is called, so a file of declarations costs
 * nothing but itself.
 */
import type { Declared } from '../resource/define.ts'

/** A service that answers: where, and in which folder it keeps what is not in a database elsewhere. */
export type RunningService = { readonly address: string; readonly dataDir: string }
type Variables = Readonly<Record<string, string>>

export type RunOptions = {
  /** Variables that stand in place of the environment's own. */
  readonly environment?: Variables
  /** Variables for where the environment says nothing. */
  readonly defaults?: Variables
  /** Called when it listens, before it says that it is ready. */
  readonly ready?: (service: RunningService) => Promise<void>
}

/**
 * Serves these resources until it is told to stop, as the environment says. A mistake of the operator or of a declaration is one line on
 * stderr and exit code 1.
 */
export async function runService(declarations: readonly Declared[], options: RunOptions = {}): Promise<void> {
  const { runMain, serve, writeHelp } = await import('./serving.ts')
  if (process.argv.includes('--help')) return writeHelp()
  const { environmentWith, readConfig } = await import('../config.ts')
  await runMain(async () => serve(readConfig(environmentWith(options)), declarations, options.ready))
}

/** Runs one command of the command line, for the resources that `load` gives: they are only loaded by the commands that need them. */
export async function runCommandLine(
  load: () => Promise<readonly Declared[]>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const { runProgram } = await import('../cli/program.ts')
  await runProgram(load, args)
}
