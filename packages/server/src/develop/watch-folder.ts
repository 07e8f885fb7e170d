/**
 * Reports changed sources below a folder. Each folder has its own watch: a recursive one would
 * include `node_modules`.
 */
import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'

/** An editor writes a file in several steps. */
const settledMs = 60
const sources = /\.(?:[mc]?[jt]s|json|graphql|env)$|^\.env|\.[a-z]{2,3}\.(?:txt|html)$/

export type FolderWatcher = { stop(): void }

export type FolderListener = {
  /** A file is being written: sources that are read meanwhile may be incomplete. */
  touched(): void
  /** The files are complete. */
  changed(files: ReadonlySet<string>): void
}

/** `ignored`: absolute paths of further folders without sources. */
export function watchFolder(folder: string, ignored: readonly string[], noticed: FolderListener): FolderWatcher {
  const watchers = new Map<string, FSWatcher>()
  const isSkipped = (path: string, name: string) =>
    name === 'node_modules' || name === 'dist' || name.startsWith('.') || ignored.includes(path)
  let timer: NodeJS.Timeout | undefined
  let touched = new Set<string>()

  function drop(path: string): void {
    watchers.get(path)?.close()
    watchers.delete(path)
  }
  function add(path: string): void {
    try {
      if (!watchers.has(path))
        watchers.set(
          path,
          watch(path, (_, name) => note(path, name ?? '')).on('error', () => drop(path)),
        )
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        const below = join(path, entry.name)
        if (entry.isDirectory() && !watchers.has(below) && !isSkipped(below, entry.name)) add(below)
      }
    } catch {
      drop(path) // it has just been removed
    }
  }
  function settle(): void {
    const files = touched
    touched = new Set()
    noticed.changed(files)
  }

  function note(path: string, name: string): void {
    if (!sources.test(name))
      add(path) // it may be a new folder
    else {
      noticed.touched()
      clearTimeout(timer)
      touched.add(join(path, name))
      timer = setTimeout(settle, settledMs)
    }
  }
  add(folder)
  return {
    stop() {
      clearTimeout(timer)
      for (const path of [...watchers.keys()]) drop(path)
    },
  }
}
