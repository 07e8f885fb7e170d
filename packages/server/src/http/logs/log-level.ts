/**
 * The level of the log while a server runs, as an operator asks for it: a small file in the data
 * folder, which every process on this machine looks at once a second. It ends by itself, so that
 * nobody forgets a server that logs everything.
 */
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const everyMs = 1_000

export type RequestedLevel = { readonly level: string; readonly until: string }

function fileIn(dataDir: string): string {
  return join(dataDir, 'log-level')
}

/** The level that is asked for now; undefined for the usual one. */
function readAskedLevel(dataDir: string, nowMs: number): string | undefined {
  try {
    const { level, until } = JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as RequestedLevel
    return Date.parse(until) > nowMs ? level : undefined
  } catch {
    return undefined // nobody asks
  }
}

export function writeRequestedLevel(dataDir: string, asked: RequestedLevel | undefined): void {
  const file = fileIn(dataDir)
  if (!asked) {
    rmSync(file, { force: true })
    return
  }
  writeFileSync(`${file}.new`, JSON.stringify(asked))
  // it is no secret, and the server may run as another user than who asks
  chmodSync(`${file}.new`, 0o644)
  renameSync(`${file}.new`, file)
}

/** Calls back whenever another level is asked for. */
export function watchRequestedLevel(dataDir: string, apply: (level: string | undefined) => void): void {
  let last = readAskedLevel(dataDir, Date.now())
  if (last !== undefined) apply(last)
  setInterval(() => {
    const level = readAskedLevel(dataDir, Date.now())
    if (level !== last) apply(level)
    last = level
  }, everyMs).unref()
}
