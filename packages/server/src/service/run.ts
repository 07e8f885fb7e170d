/**
 * What an application runs: its service, or its command line. Each loads the engine when it is called, so a file of declarations costs
 * nothing but itself.
 */
import type { Declared } from '../resource/define.ts'
import type { Service } from './start.ts'

export type RunOptions = {
  /** In place of the process's own environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Called when it listens, before it says that it is ready. */
  readonly ready?: (service: Service) => Promise<void>
}

/**
 * Serves these resources until it is told to stop, as the environment says. A mistake of the operator or of a declaration is one line on
 * stderr and exit code 1.
 */
export async function runService(declarations: readonly Declared[], options: RunOptions = {}): Promise<void> {
  const { runMain, serve, printHelp } = await import('./serve.ts')
  if (process.argv.includes('--help')) return printHelp()
  const { readConfig } = await import('../config.ts')
  await runMain(async () => serve(readConfig(options.environment), declarations, options.ready))
}

/** Runs one command of the command line, for the resources that `load` gives: they are only loaded by the commands that need them. */
export async function runCommandLine(
  load: () => Promise<readonly Declared[]>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const { runProgram } = await import('../cli/program.ts')
  await runProgram(load, args)
}
