/**
 * The application of a folder: `app.ts`, or the file that `"bindery": { "app": … }` in its package.json names. It exports `resources`, the
 * list of its declarations. Documents that the project keeps have their places there as well.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StartError } from '../errors.ts'
import type { Declared } from '../resource/define.ts'
import { loadDeclarations } from '../service/load-declarations.ts'
import { runProgram } from './program.ts'

const usualFiles = ['app.ts', 'app.js']

/** What the package.json of an application says under `bindery`. */
type Settings = { readonly app?: string; readonly openapi?: string; readonly sdl?: string }

const usualDocuments = { openapi: 'openapi.json', sdl: 'schema.graphql' }

function settingsOf(folder: string): Settings {
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) return {}
  let settings: Record<string, unknown>
  try {
    settings = (JSON.parse(readFileSync(manifest, 'utf8')) as { bindery?: Record<string, unknown> }).bindery ?? {}
  } catch (cause) {
    throw new StartError(`Cannot read ${manifest}: ${(cause as Error).message}`)
  }
  for (const [name, value] of Object.entries(settings)) {
    if (!['app', ...Object.keys(usualDocuments)].includes(name))
      throw new StartError(`${manifest}: bindery has no ${name}; there are app, openapi and sdl`)
    if (typeof value !== 'string') throw new StartError(`${manifest}: bindery.${name} must be the path of a file`)
  }
  return settings
}

/** Where the project keeps its documents, relative to the folder. They need not be there. Throws `StartError`. */
export function documentsOf(folder: string): typeof usualDocuments {
  const { openapi, sdl } = settingsOf(folder)
  return { openapi: openapi ?? usualDocuments.openapi, sdl: sdl ?? usualDocuments.sdl }
}

/** The file that exports `resources`, as an absolute path. Throws `StartError`. */
export function findApplication(folder: string): string {
  const { app } = settingsOf(folder)
  if (app !== undefined) {
    const file = resolve(folder, app)
    if (existsSync(file)) return file
    throw new StartError(`${join(folder, 'package.json')} names ${app} as bindery.app, and there is no such file`)
  }
  const file = usualFiles.map((name) => join(folder, name)).find((name) => existsSync(name))
  if (file) return file
  throw new StartError(
    `No application in ${folder}: neither app.ts nor "bindery": { "app": … } in its package.json. Make one: bindery init`,
  )
}

async function importResources(file: string): Promise<readonly Declared[]> {
  const { resources } = (await import(pathToFileURL(file).href)) as { resources?: unknown }
  if (Array.isArray(resources)) return resources as Declared[]
  throw new StartError(`${file} must export resources, the list of declarations: export const resources = [books, …]`)
}

/** The declarations of this file. Throws `StartError`, and whatever the file itself throws. */
export function loadApplication(file: string): Promise<readonly Declared[]> {
  return loadDeclarations(() => importResources(file))
}

/** The command line of the application in the current folder. */
export async function runOwnCommandLine(): Promise<void> {
  const findFile = () => findApplication(process.cwd())
  await runProgram({ findFile, loadDeclarations: () => loadApplication(findFile()) }, process.argv.slice(2))
}
