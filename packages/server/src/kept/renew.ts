/** Kept answers of which nothing but the total has changed, made again with another one. */
import type { Watch } from '../storage/derived/watch.ts'
import type { Asker, StoredReads } from '../storage/storage.ts'
import type { AnswerMemory } from './answer-memory.ts'
import { type Entries, type Entry, type FoundAnswer, given, verdictOf } from './entry.ts'

type Found = FoundAnswer | undefined

type Parts = {
  readonly memory: AnswerMemory<Entry>
  readonly entries: Entries
  readonly storage: Pick<StoredReads, 'knownTotal' | 'by'>
  /** Makes others who ask for the same wait until what it returns is called, with the error if there is one. */
  begin(key: string): (error?: unknown) => void
}

/** `counted`: what is counted for an answer; `seen`: what the rest of it rests on. */
type Counting = Pick<Entry, 'counted' | 'seen'> & { readonly key: string; readonly asker: Asker }

/** Undefined where the whole must be made anew. Others who ask meanwhile wait. */
export type Renew = (key: string, entry: Entry, asker: Asker) => Found | Promise<Found>

export function makeRenew({ memory, entries, storage, begin }: Parts): Renew {
  /** An answer whose total cannot be told goes: what has changed was said, and is not said again. */
  function totalOf({ resource, where }: Watch, { key, asker }: Counting): number | Promise<number> {
    try {
      return storage.knownTotal(resource, where) ?? storage.by(asker).count(resource, where)
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
  /** Counts, at once or while others who ask for the same wait, and makes an answer with the total. */
  function count(counting: Counting, make: (total: number) => Found): Found | Promise<Found> {
    const { key, counted, seen } = counting
    if (!counted) return undefined
    const total = totalOf(counted, counting)
    if (typeof total === 'number') return make(total)
    memory.take(key)
    return alone(key, async () => {
      const latest = await total
      // What was written meanwhile may be in the total, and is not in the rest.
      return verdictOf(seen) === 'same' ? make(latest) : undefined
    })
  }
  return (key, entry, asker) => {
    const { part, counted, seen } = entry
    if (!part) return undefined
    return count({ key, counted, seen, asker }, (total) => {
      entries.setTotal(entry, part, total)
      const body = memory.bodyOf(entry)
      if (!body) return undefined
      memory.keep(key, entry)
      return given(entry, body)
    })
  }
}
