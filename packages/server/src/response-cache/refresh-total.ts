/** Kept answers of which nothing but the total has changed, made again with another one. */
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
   * Makes others who ask for the same wait until what it returns is called, with the error if there
   * is one.
   */
  begin(key: string): (error?: unknown) => void
}

/** `counted`: what is counted for an answer; `dependencies`: what the rest of it rests on. */
type RecountRequest = Pick<CacheEntry, 'counted' | 'dependencies'> & {
  readonly key: string
  readonly readClient: ReadClient
}

/** Undefined where the whole must be made anew. Others who ask meanwhile wait. */
export type RefreshTotal = (key: string, entry: CacheEntry, readClient: ReadClient) => Lookup | Promise<Lookup>

export function makeRefreshTotal({ memory, entries, storage, begin }: RefreshTotalDeps): RefreshTotal {
  /**
   * An answer whose total cannot be told goes: what has changed was said, and is not said again.
   */
  function totalOf({ resource, where }: ConditionWatch, { key, readClient }: RecountRequest): number | Promise<number> {
    try {
      return storage.knownTotal(resource, where) ?? storage.by(readClient).count(resource, where)
    } catch (error) {
      memory.delete(key)
      throw error
    }
  }
  /** Does it while others who ask for the same wait. */
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
  /**
   * Counts, at once or while others who ask for the same wait, and makes an answer with the total.
   */
  function count(counting: RecountRequest, make: (total: number) => Lookup): Lookup | Promise<Lookup> {
    const { key, counted, dependencies } = counting
    if (!counted) return undefined
    const total = totalOf(counted, counting)
    if (typeof total === 'number') return make(total)
    memory.take(key)
    return alone(key, async () => {
      const latest = await total
      // What was written meanwhile may be in the total, and is not in the rest.
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
