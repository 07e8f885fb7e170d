/** Counts what an engine reads of its records for callers, so that a test can tell a kept answer from one that was made. */
import type { Engine } from '../../src/perform/engine.ts'
import { wrapReads } from '../helpers/wrapped-reads.ts'

/** Returns how many reads there were so far. */
export function countReads(engine: Engine): () => number {
  let reads = 0
  wrapReads(engine, ['find', 'list', 'listEach', 'page', 'count', 'walk'], (own) => {
    return (...args: unknown[]) => {
      reads += 1
      return own(...args)
    }
  })
  return () => reads
}
