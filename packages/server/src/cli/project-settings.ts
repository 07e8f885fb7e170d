/**
 * Reads an application's package.json: its name, and under `bindery` the paths of its file and its
 * documents.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../errors.ts'

type Settings = { readonly name?: string; readonly app?: string; readonly openapi?: string; readonly sdl?: string }

const usualDocuments = { openapi: 'openapi.json', sdl: 'schema.graphql' }

/** Throws `StartError`. */
export function settingsOf(folder: string): Settings {
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) return {}
  let settings: Record<string, unknown>
  try {
    settings = (JSON.parse(readFileSync(manifest, 'utf8')) as { bindery?: Record<string, unknown> }).bindery ?? {}
  } catch (cause) {
    throw new StartError(`Cannot read ${manifest}: ${(cause as Error).message}`)
  }
  for (const [name, value] of Object.entries(settings)) {
    if (!['name', 'app', ...Object.keys(usualDocuments)].includes(name))
      throw new StartError(`${manifest}: bindery has no ${name}; there are name, app, openapi and sdl`)
    if (typeof value !== 'string')
      throw new StartError(`${manifest}: bindery.${name} must be ${name === 'name' ? 'a text' : 'the path of a file'}`)
  }
  return settings
}

/**
 * Where the project keeps its documents, relative to the folder. Those that `package.json` does not
 * name need not be there. Throws `StartError`.
 */
export function documentsOf(folder: string): typeof usualDocuments {
  const { openapi, sdl } = settingsOf(folder)
  return { openapi: openapi ?? usualDocuments.openapi, sdl: sdl ?? usualDocuments.sdl }
}

/**
 * Whether the project says that it keeps this document: then it has to be there. Throws
 * `StartError`.
 */
export function isNamed(folder: string, kind: keyof typeof usualDocuments): boolean {
  return settingsOf(folder)[kind] !== undefined
}

/** The name of the application in this folder: `bindery.name`, or the name of its package. */
export function applicationName(folder: string): string {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Settings & { bindery?: Settings }
    return String(manifest.bindery?.name ?? manifest.name ?? 'bindery')
  } catch {
    return 'bindery' // a folder without a package, from which a service may run as well
  }
}
