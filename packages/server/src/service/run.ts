/**
 * What an application runs: its service, or its command line. Each loads the engine only when it is called, so importing a file of
 * declarations costs little.
 */
import type { Declared } from '../resource/define.ts'

/** A service that answers: its address, and the folder of what it keeps in files. */
export type RunningService = { readonly address: string; readonly dataDir: string }
type Variables = Readonly<Record<string, string>>

export type RunOptions = {
  /** Variables that override the environment's own. */
  readonly environment?: Variables
  /** Values for variables that the environment does not set. */
  readonly defaults?: Variables
  /** Called when the service listens, before it reports that it is ready. */
  readonly ready?: (service: RunningService) => Promise<void>
}

/**
 * Serves these resources, as the environment says, until it is told to stop. A mistake of the operator or in a declaration is one line on
 * stderr and exit code 1.
 */
export async function runService(declarations: readonly Declared[], options: RunOptions = {}): Promise<void> {
  const { runMain, serve, writeHelp } = await import('./serving.ts')
  if (process.argv.includes('--help')) return writeHelp()
  const { environmentWith, readConfig } = await import('../config.ts')
  await runMain(async () => serve(readConfig(environmentWith(options)), declarations, options.ready))
}

/** Runs one command of the command line, for the resources that `load` returns; only commands that need them call it. */
export async function runCommandLine(
  load: () => Promise<readonly Declared[]>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const { runProgram } = await import('../cli/program.ts')
  await runProgram({ loadDeclarations: load }, args)
}
