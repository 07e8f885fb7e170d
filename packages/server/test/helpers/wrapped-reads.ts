/** Wraps the reads that an engine makes for callers, to count them or to make them fail. */
import type { Engine } from '../../src/perform/engine.ts'
import type { ReadStorage } from '../../src/storage/storage.ts'

type Name = 'find' | 'list' | 'listEach' | 'page' | 'count' | 'walk'
type Known = ReadStorage['knownTotal']
type Read = (...args: unknown[]) => unknown

/** Replaces what an engine knows of totals without a read. */
export function wrapKnownTotal({ storage }: Engine, wrap: (own: Known) => Known): void {
  Object.assign(storage, { knownTotal: wrap(storage.knownTotal) })
}

/** Returns what puts the engine's own reads back. */
export function wrapReads({ storage }: Engine, names: readonly Name[], wrap: (own: Read) => Read): () => void {
  const { by } = storage
  const wrapped: ReadStorage['by'] = (readClient) => {
    const reads = by(readClient)
    return { ...reads, ...Object.fromEntries(names.map((name) => [name, wrap(reads[name] as Read)])) }
  }
  Object.assign(storage, { by: wrapped })
  return () => void Object.assign(storage, { by })
}
