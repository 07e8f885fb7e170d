/**
 * Packages that only some services need: an application that uses the feature installs them, and
 * the first use loads them. Each feature imports its package by a literal `import('…')`, so its
 * types are known; this file says what to do where it is missing.
 */
import { createRequire } from 'node:module'
import { StartError } from '../errors.ts'

/** Whether the package is installed. `entry`: the part of it that is loaded, `name/entry`. */
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
  /** The entry to load, if it differs from the package's name. */
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
 * Loads an installed package at once, for code that cannot wait. `T`: the part of it that is used.
 */
export function loadNow<T>({ name, entry = name }: OptionalPackage): T {
  return createRequire(import.meta.url)(entry) as T
}

/**
 * Calls `load` at the first use, and gives every caller its result; after a failure the next use
 * tries again.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined // the next use tries again after a failure
      throw error
    })
    return loading
  }
}
