/** Replaces reads that an engine makes on behalf of callers, to count them or to let them fail. */
import type { Engine } from '../../src/perform/engine.ts'
import type { StoredReads } from '../../src/storage/storage.ts'

type Name = 'find' | 'list' | 'listEach' | 'page' | 'count' | 'walk'
type Read = (...args: unknown[]) => unknown

/** Returns what puts the engine's own reads back. */
export function wrapReads({ storage }: Engine, names: readonly Name[], wrap: (own: Read) => Read): () => void {
  const { by } = storage
  const wrapped: StoredReads['by'] = (asker) => {
    const reads = by(asker)
    return { ...reads, ...Object.fromEntries(names.map((name) => [name, wrap(reads[name] as Read)])) }
  }
  Object.assign(storage, { by: wrapped })
  return () => void Object.assign(storage, { by })
}
