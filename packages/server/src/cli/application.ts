/**
 * The application of a folder: `app.ts`, or the file that `"bindery": { "app": … }` in its package.json names. It exports `resources`, the
 * list of its declarations.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StartError } from '../errors.ts'
import type { Declared } from '../resource/define.ts'
import { runProgram } from './program.ts'

const usualFiles = ['app.ts', 'app.js']

function appOf(manifest: string): string | undefined {
  try {
    const { bindery } = JSON.parse(readFileSync(manifest, 'utf8')) as { bindery?: { app?: unknown } }
    if (bindery?.app === undefined || typeof bindery.app === 'string') return bindery?.app
  } catch (cause) {
    throw new StartError(`Cannot read ${manifest}: ${(cause as Error).message}`)
  }
  throw new StartError(`${manifest}: bindery.app must be the path of a file, such as "./app.ts"`)
}

/** The file that exports `resources`, as an absolute path. Throws `StartError`. */
export function findApplication(folder: string): string {
  const manifest = join(folder, 'package.json')
  const named = existsSync(manifest) ? appOf(manifest) : undefined
  if (named !== undefined) {
    const file = resolve(folder, named)
    if (existsSync(file)) return file
    throw new StartError(`${manifest} names ${named} as bindery.app, and there is no such file`)
  }
  const file = usualFiles.map((name) => join(folder, name)).find((name) => existsSync(name))
  if (file) return file
  throw new StartError(
    `No application in ${folder}: neither app.ts nor "bindery": { "app": … } in its package.json. Make one: bindery init`,
  )
}

/** The declarations of this file. Throws `StartError`, and whatever the file itself throws. */
export async function loadApplication(file: string): Promise<readonly Declared[]> {
  const { resources } = (await import(pathToFileURL(file).href)) as { resources?: unknown }
  if (Array.isArray(resources)) return resources as Declared[]
  throw new StartError(`${file} must export resources, the list of declarations: export const resources = [books, …]`)
}

/** The command line of the application in the current folder, with the variables of its `.env` where the environment has none. */
export async function runOwnCommandLine(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  await runProgram(() => loadApplication(findApplication(process.cwd())), process.argv.slice(2))
}
