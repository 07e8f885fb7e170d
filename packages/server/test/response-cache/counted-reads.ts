/**
 * Counts an engine's reads of records and totals for callers, so that a test can tell a cached
 * response from a new one.
 */
import type { Engine } from '../../src/perform/engine.ts'
import { wrapKnownTotal, wrapReads } from '../helpers/wrapped-reads.ts'

/** Returns how many reads there were so far. */
export function countReads(engine: Engine): () => number {
  let reads = 0
  wrapReads(engine, ['find', 'list', 'listEach', 'page', 'count', 'walk'], (own) => {
    return (...args: unknown[]) => {
      reads += 1
      return own(...args)
    }
  })
  wrapKnownTotal(engine, (own) => (resource, where) => {
    const total = own(resource, where)
    if (total !== undefined) reads += 1
    return total
  })
  return () => reads
}
