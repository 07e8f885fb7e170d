/**
 * The entry points of an application: its service and its command line. Each loads the engine only
 * when it is called, so importing a file of declarations is cheap.
 */
import { keepCompiled } from '../base/compile-cache.ts'
import type { CheckedResourceList } from '../resource/resource-list.ts'
import type { Declared } from '../resource/tenancy/define-tenancy.ts'

/** A running service. */
export type RunningService = {
  /** Such as `http://127.0.0.1:3000`. */
  readonly address: string
  /** The folder of its files. */
  readonly dataDir: string
}
type VariableTable = Readonly<Record<string, string>>

export type RunOptions = {
  /** Variables that override the environment's own. */
  readonly environment?: VariableTable
  /** Values for variables that the environment does not set. */
  readonly defaults?: VariableTable
  /**
   * Called when the service listens. Until it resolves, `/readyz` answers 503, and the service does
   * not report that it is ready.
   */
  readonly ready?: (service: RunningService) => Promise<void>
  /**
   * A path of the console, such as `/products`. Each start prints its address with a code that logs
   * in as the first operator, once: for a demo. Only where others cannot reach the service.
   */
  readonly opensConsole?: string
}

/** Loads the resources in a function, so that an error in a file is also reported in one line. */
type LoadResources<R extends readonly Declared[]> = () => Promise<R>

/**
 * Serves these resources, as the environment configures, until a signal stops it. A mistake in the
 * environment or a declaration ends the process with code 1 and one line on stderr. Where
 * `declarations` is a function that loads them, so does an error in their files.
 */
export async function runService<const R extends readonly Declared[]>(
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
    await serveApplication(readConfig(environmentWith(options)), await loadDeclarations(load), options)
  })
}

/**
 * Runs one command, for the resources that `load` returns; only commands that need them call it.
 */
export async function runCommandLine<const R extends readonly Declared[]>(
  load: LoadResources<R & CheckedResourceList<R>>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  keepCompiled()
  const { runProgram } = await import('../cli/program.ts')
  const { loadDeclarations } = await import('./load-declarations.ts')
  await runProgram({ loadDeclarations: () => loadDeclarations(load) }, args)
}
