/**
 * Reads an application's package.json: its name and, under `bindery`, the paths of its file and its
 * documents.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../errors.ts'

type ProjectSettings = {
  readonly name?: string
  readonly app?: string
  readonly openapi?: string
  readonly sdl?: string
}

const usualDocuments = { openapi: 'openapi.json', sdl: 'schema.graphql' }

const manifestOf = (folder: string) => join(folder, 'package.json')

type PackageManifest = { readonly name?: unknown; readonly bindery?: Record<string, unknown> }

/** Empty for a folder without one. Throws `StartError`. */
function manifestIn(folder: string): PackageManifest {
  const manifest = manifestOf(folder)
  if (!existsSync(manifest)) return {}
  try {
    return JSON.parse(readFileSync(manifest, 'utf8')) as PackageManifest
  } catch (cause) {
    throw new StartError(`Cannot read ${manifest}: ${(cause as Error).message}`)
  }
}

/** Throws `StartError`. */
export function settingsOf(folder: string): ProjectSettings {
  const { bindery: settings = {} } = manifestIn(folder)
  const manifest = manifestOf(folder)
  for (const [name, value] of Object.entries(settings)) {
    if (!['name', 'app', ...Object.keys(usualDocuments)].includes(name))
      throw new StartError(`${manifest}: bindery has no ${name}; there are name, app, openapi and sdl`)
    if (typeof value !== 'string')
      throw new StartError(`${manifest}: bindery.${name} must be ${name === 'name' ? 'a text' : 'the path of a file'}`)
  }
  return settings
}

/**
 * The paths of the project's documents, relative to the folder. Documents that `package.json` does
 * not name need not exist. Throws `StartError`.
 */
export function documentsOf(folder: string): typeof usualDocuments {
  const { openapi, sdl } = settingsOf(folder)
  return { openapi: openapi ?? usualDocuments.openapi, sdl: sdl ?? usualDocuments.sdl }
}

/** Whether package.json names this document: then it must exist. Throws `StartError`. */
export function isNamed(folder: string, kind: keyof typeof usualDocuments): boolean {
  return settingsOf(folder)[kind] !== undefined
}

/** The name of the application in this folder: `bindery.name`, or the name of its package. */
export function applicationName(folder: string): string {
  try {
    const { name, bindery } = manifestIn(folder)
    return String(bindery?.name ?? name ?? 'bindery')
  } catch {
    return 'bindery' // a service may run from another folder
  }
}
