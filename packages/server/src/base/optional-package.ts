/**
 * Packages that only some services need: whoever uses the feature installs them, and they are
 * loaded when it is first used. Each feature imports its package by a literal `import('…')`, so
 * that its types are known; this says what to do where it is missing.
 */
import { createRequire } from 'node:module'
import { StartError } from '../errors.ts'

/** Whether the package is there. `entry`: what of it is loaded, `name/entry`. */
export function isInstalled(entry: string): boolean {
  try {
    createRequire(import.meta.url).resolve(entry)
    return true
  } catch {
    return false
  }
}

export type OptionalPackage = {
  /** As npm knows it. */
  readonly name: string
  /** What of it is loaded, if not the package's own name. */
  readonly entry?: string
}

/**
 * Throws `StartError` when a package is missing that a setting needs; `setting` is shown as the
 * operator wrote it: `MCP=write`.
 */
export function checkInstalled({ name, entry = name }: OptionalPackage, setting: string): void {
  if (!isInstalled(entry)) throw new StartError(`${setting} needs a package that is not installed: npm install ${name}`)
}

/**
 * Calls `load` at the first use, and gives everybody what it gave; after a failure the next use
 * tries again.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined // what failed for a moment may be asked for again
      throw error
    })
    return loading
  }
}
