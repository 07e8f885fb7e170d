/**
 * Changes the log level of a running server. `bindery log-level` writes a small file in the data
 * folder, and each process on this machine reads it once a second. The change expires by itself, so
 * that no server logs everything for ever.
 */
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const everyMs = 1_000

export type RequestedLevel = { readonly level: string; readonly until: string }

function fileIn(dataDir: string): string {
  return join(dataDir, 'log-level')
}

/** The requested level; undefined for the configured one. */
function readAskedLevel(dataDir: string, nowMs: number): string | undefined {
  try {
    const { level, until } = JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as RequestedLevel
    return Date.parse(until) > nowMs ? level : undefined
  } catch {
    return undefined // no level is requested
  }
}

export function writeRequestedLevel(dataDir: string, asked: RequestedLevel | undefined): void {
  const file = fileIn(dataDir)
  if (!asked) {
    rmSync(file, { force: true })
    return
  }
  writeFileSync(`${file}.new`, JSON.stringify(asked))
  // the file is not secret, and the server may run as another user than the operator
  chmodSync(`${file}.new`, 0o644)
  renameSync(`${file}.new`, file)
}

/** Calls `apply` whenever the requested level changes. */
export function watchRequestedLevel(dataDir: string, apply: (level: string | undefined) => void): void {
  let last = readAskedLevel(dataDir, Date.now())
  if (last !== undefined) apply(last)
  setInterval(() => {
    const level = readAskedLevel(dataDir, Date.now())
    if (level !== last) apply(level)
    last = level
  }, everyMs).unref()
}
