/**
 * Loads the application for a command: its declarations, and its engine, opened for that command.
 */
import type { Output } from '../command/output.ts'
import { readConfig } from '../config.ts'
import type { Engine } from '../perform/engine.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { ServiceSettings } from '../resource/rule.ts'
import type { Declared } from '../resource/tenancy/define-tenancy.ts'
import { consoleParts } from '../service/features.ts'
import type { CreateMode } from '../storage/database-kind.ts'

/** Passed to every command: its output, and the application that it works on. */
export type CommandContext = {
  readonly output: Output
  loadDeclarations(): Promise<readonly Declared[]>
  /** The file of the declarations, where the program finds it by itself. Throws `StartError`. */
  readonly findFile?: (() => string) | undefined
}

/** The declarations alone, for commands that need no database. Throws `StartError`. */
export async function loadCatalog({ loadDeclarations }: CommandContext): Promise<Catalog> {
  const { makeCatalog } = await import('../resource/catalog.ts')
  const catalog = makeCatalog(await loadDeclarations())
  for (const part of consoleParts) await part.checkCatalog(catalog)
  return catalog
}

/** The same with the settings, for the documents of the application. Throws `StartError`. */
export async function loadDocumented(
  cli: CommandContext,
): Promise<{ readonly catalog: Catalog; readonly settings: ServiceSettings }> {
  const config = readConfig()
  const { settleRoles } = await import('../settings/role-settings.ts')
  const catalog = await loadCatalog(cli)
  return { catalog, settings: settleRoles(config, catalog.roles) }
}

type OpenedEngine = Awaited<ReturnType<typeof import('../service/open-engine.ts').openEngine>>

/**
 * Opens the storage, runs the work, and closes the storage in any case. `making`: whether the
 * database may be made. Reports damage of the database: closing its file may remove the last trace.
 * Throws `StartError`.
 */
export async function withEngine<T>(
  { loadDeclarations, output }: CommandContext,
  work: (engine: OpenedEngine) => Promise<T>,
  making?: CreateMode,
): Promise<T> {
  const { openEngine } = await import('../service/open-engine.ts')
  const engine = await openEngine(readConfig(), await loadDeclarations(), { making, report: output.note })
  try {
    return await work(engine)
  } finally {
    await engine.closeServices()
    await engine.storage.close()
  }
}

/** The same on a copy of the database, which is removed afterwards. */
export async function withDryRun<T>(
  { loadDeclarations, output }: CommandContext,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const { openEngine } = await import('../service/open-engine.ts')
  const config = readConfig()
  const { kind, setup } = config.database
  const declarations = await loadDeclarations()
  return kind.rehearse(setup, async (copy) => {
    const engine = await openEngine({ ...config, database: { kind, setup: copy } }, declarations, {
      report: output.note,
    })
    try {
      return await work({ ...engine, isDryRun: true })
    } finally {
      await engine.closeServices()
      await engine.storage.close()
    }
  })
}
