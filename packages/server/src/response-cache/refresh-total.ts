/**
 * Updates cached responses whose total alone has changed: counts again, and replaces the ending of
 * the page.
 */
import type { ConditionWatch } from '../storage/derived/condition-watch.ts'
import type { ReadClient, ReadStorage } from '../storage/storage.ts'
import { type CacheEntries, type CacheEntry, type CacheHit, cacheHitOf, freshnessOf } from './cache-entry.ts'
import type { CacheMemory } from './cache-memory.ts'

type Lookup = CacheHit | undefined

type RefreshTotalDeps = {
  readonly memory: CacheMemory<CacheEntry>
  readonly entries: CacheEntries
  readonly storage: Pick<ReadStorage, 'knownTotal' | 'by'>
  /**
   * Makes concurrent requests for the key wait until the returned function is called, with the
   * error if there is one.
   */
  begin(key: string): (error?: unknown) => void
}

/**
 * `counted`: the condition whose total the response shows. `dependencies`: the dependencies of the
 * rest.
 */
type RecountRequest = Pick<CacheEntry, 'counted' | 'dependencies'> & {
  readonly key: string
  readonly readClient: ReadClient
}

/** Undefined where the whole response must be made again. Concurrent requests wait meanwhile. */
export type RefreshTotal = (key: string, entry: CacheEntry, readClient: ReadClient) => Lookup | Promise<Lookup>

export function makeRefreshTotal({ memory, entries, storage, begin }: RefreshTotalDeps): RefreshTotal {
  /**
   * The total now. An entry without one is dropped: its changes have been read, and are not
   * reported again.
   */
  function totalOf({ resource, where }: ConditionWatch, { key, readClient }: RecountRequest): number | Promise<number> {
    try {
      return storage.knownTotal(resource, where) ?? storage.by(readClient).count(resource, where)
    } catch (error) {
      memory.delete(key)
      throw error
    }
  }
  /** Does the work while concurrent requests for the key wait. */
  async function alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    const end = begin(key)
    try {
      const done = await work()
      end()
      return done
    } catch (error) {
      end(error)
      throw error
    }
  }
  /** Counts, at once or while concurrent requests wait, and makes a response with the total. */
  function count(counting: RecountRequest, make: (total: number) => Lookup): Lookup | Promise<Lookup> {
    const { key, counted, dependencies } = counting
    if (!counted) return undefined
    const total = totalOf(counted, counting)
    if (typeof total === 'number') return make(total)
    memory.take(key)
    return alone(key, async () => {
      const latest = await total
      // A write meanwhile may be in the total, and not in the rest.
      return freshnessOf(dependencies) === 'same' ? make(latest) : undefined
    })
  }
  return (key, entry, readClient) => {
    const { part, counted, dependencies } = entry
    if (!part) return undefined
    return count({ key, counted, dependencies, readClient }, (total) => {
      entries.setTotal(entry, part, total)
      const body = memory.bodyOf(entry)
      if (!body) return undefined
      memory.keep(key, entry)
      return cacheHitOf(entry, body)
    })
  }
}
