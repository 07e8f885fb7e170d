/**
 * Counts how often this process hashes passwords, and at which cost. Equal counts show equal work
 * on any machine, where times would not.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'

/** KiB, passes and lanes of each hash that is begun while the work goes on. */
export async function hashesDuring(work: () => Promise<unknown>): Promise<string[]> {
  const hashes: string[] = []
  const real = crypto.argon2
  const counting = mock.method(crypto, 'argon2', (...given: Parameters<typeof real>) => {
    const { memory, passes, parallelism } = given[1]
    hashes.push(`m=${memory},t=${passes},p=${parallelism}`)
    return real(...given)
  })
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    counting.mock.restore()
    syncBuiltinESMExports()
  }
  return hashes
}
