/**
 * What an application runs: its service, or its command line. Each loads the engine only when it is
 * called, so importing a file of declarations costs little.
 */
import { keepCompiled } from '../base/compile-cache.ts'
import type { DeclaredResource } from '../resource/define.ts'
import type { CheckedResourceList } from '../resource/resource-list.ts'

/** A service that answers: its address, and the folder of what it keeps in files. */
export type RunningService = {
  /** Such as `http://127.0.0.1:3000`. */
  readonly address: string
  /** The folder of what it keeps in files. */
  readonly dataDir: string
}
type VariableTable = Readonly<Record<string, string>>

export type RunOptions = {
  /** Variables that override the environment's own. */
  readonly environment?: VariableTable
  /** Values for variables that the environment does not set. */
  readonly defaults?: VariableTable
  /**
   * Called when the service listens. Until it resolves `/readyz` is 503, and the service does not
   * report that it is ready.
   */
  readonly ready?: (service: RunningService) => Promise<void>
}

/** Loads the resources, so that a file that cannot be loaded is reported in one line as well. */
type LoadResources<R extends readonly DeclaredResource[]> = () => Promise<R>

/**
 * Serves these resources, as the environment says, until it is told to stop. A mistake of the
 * operator or in a declaration is one line on stderr and exit code 1; so is a file that cannot be
 * loaded, where a function loads them.
 */
export async function runService<const R extends readonly DeclaredResource[]>(
  declarations: (R & CheckedResourceList<R>) | LoadResources<R & CheckedResourceList<R>>,
  options: RunOptions = {},
): Promise<void> {
  keepCompiled()
  const { runMain, serveApplication, writeHelp } = await import('./serving.ts')
  if (process.argv.includes('--help')) return writeHelp()
  const { environmentWith, readConfig } = await import('../config.ts')
  await runMain(async () => {
    const { loadDeclarations } = await import('./load-declarations.ts')
    const load = typeof declarations === 'function' ? declarations : async () => declarations
    await serveApplication(readConfig(environmentWith(options)), await loadDeclarations(load), options.ready)
  })
}

/**
 * Runs one command of the command line, for the resources that `load` returns; only commands that
 * need them call it.
 */
export async function runCommandLine<const R extends readonly DeclaredResource[]>(
  load: LoadResources<R & CheckedResourceList<R>>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  keepCompiled()
  const { runProgram } = await import('../cli/program.ts')
  const { loadDeclarations } = await import('./load-declarations.ts')
  await runProgram({ loadDeclarations: () => loadDeclarations(load) }, args)
}
