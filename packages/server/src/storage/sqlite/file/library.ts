/**
 * `node:sqlite`. Node 22 warns on stderr that it is an experimental feature, at its first import and in each thread: operators can do
 * nothing about that, and read stderr for what they can.
 */
import process from 'node:process'

function loadQuietly(): typeof import('node:sqlite') {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

export const { backup, constants, DatabaseSync } = loadQuietly()

/** `isAtLeast('3.51.3', [3, 51, 3])` → true */
export function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split('.').map(Number)
  for (const [i, number] of least.entries()) {
    if ((parts[i] ?? 0) !== number) return (parts[i] ?? 0) > number
  }
  return true
}
