/**
 * Loads the declarations of another state of the application, such as a git worktree of an earlier
 * commit. Packages that are not installed there come from the present application, and the engine
 * always does: both states are judged by one engine.
 */
import { existsSync, statSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from '../../command/usage-error.ts'
import type { Declared } from '../../resource/tenancy/define-tenancy.ts'
import { findApplication, loadApplication } from '../load-application.ts'

const enginePackage = /^bindery-server(\/|$)/
/** Not a path, and not an address such as `node:fs`. */
const isPackage = (specifier: string) => /^(?:@[\w.-]+\/)?\w[\w.-]*(?:\/|$)/.test(specifier)

/** Until the function that it returns is called. */
function resolveAsHere(folder: string): () => void {
  const below = pathToFileURL(join(folder, '/')).href
  const here = pathToFileURL(join(process.cwd(), 'package.json')).href
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (!context.parentURL?.startsWith(below) || !isPackage(specifier)) return next(specifier, context)
      // The engine resolves its own name, wherever it is installed.
      if (enginePackage.test(specifier)) return next(specifier, { ...context, parentURL: import.meta.url })
      try {
        return next(specifier, context)
      } catch {
        return next(specifier, { ...context, parentURL: here })
      }
    },
  })
  return () => hooks.deregister()
}

/** `place`: a folder with an application, or the file of its declarations. Throws `StartError`. */
export async function loadEarlier(place: string): Promise<readonly Declared[]> {
  const path = resolve(place)
  if (!existsSync(path)) throw new UsageError(`there is no ${place}; name a folder with an application`)
  const file = statSync(path).isDirectory() ? findApplication(path) : path
  const release = resolveAsHere(path === file ? dirname(file) : path)
  try {
    return await loadApplication(file)
  } finally {
    release()
  }
}
