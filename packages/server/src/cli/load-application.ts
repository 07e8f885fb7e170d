/**
 * Finds and loads the application of a folder: `app.ts`, or the file that `"bindery": { "app": … }`
 * in its package.json names. It exports `resources`, the list of its declarations.
 */
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StartError } from '../errors.ts'
import { printValue } from '../resource/members.ts'
import type { Declared } from '../resource/tenancy/define-tenancy.ts'
import { findMeant } from '../resource/words/nearest.ts'
import { loadDeclarations } from '../service/load-declarations.ts'
import { settingsOf } from './project-settings.ts'

const usualFiles = ['app.ts', 'app.js']

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
  const exported: Readonly<Record<string, unknown>> = await import(pathToFileURL(file).href)
  const { resources } = exported
  if (Array.isArray(resources)) return resources as Declared[]
  const found =
    'resources' in exported ? `; it is ${printValue(resources)}` : findMeant('resources', Object.keys(exported))
  const name = relative(process.cwd(), file)
  throw new StartError(
    `${name} must export resources, the list of declarations: export const resources = [books, …]${found}`,
  )
}

/** The declarations of this file. Throws `StartError`, and any error of the file itself. */
export function loadApplication(file: string): Promise<readonly Declared[]> {
  return loadDeclarations(() => importResources(file))
}
