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

export const { DatabaseSync } = loadQuietly()
