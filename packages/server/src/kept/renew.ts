/** Kept answers of which one part has changed, made again from the others. */
import type { StoredReads } from '../storage/storage.ts'
import type { AnswerMemory } from './answer-memory.ts'
import { type Entries, type Entry, type FoundAnswer, given, type Renewed, verdictOf } from './entry.ts'
import type { Fronts } from './fronts.ts'

type Found = FoundAnswer | undefined

type Parts = {
  readonly memory: AnswerMemory<Entry>
  readonly entries: Entries
  readonly fronts: Fronts
  /** Makes others who ask for the same wait until what it returns is called. */
  begin(key: string): () => void
}

type Counting = Pick<Entry, 'counted' | 'seen'> & { readonly key: string; readonly storage: StoredReads }

type Renewal = (key: string, entry: Entry, storage: StoredReads) => Found | Promise<Found>

/** Both give undefined where the whole must be made anew. Others who ask meanwhile wait. */
export type Renew = {
  /** Nothing but the total has changed. */
  readonly total: Renewal
  /** Other records are shown, or may be. */
  readonly rows: Renewal
}

export function makeRenew({ memory, entries, fronts, begin }: Parts): Renew {
  /** Counts, and keeps what is printed with that total. */
  function count(
    { key, counted, seen, storage }: Counting,
    print: (total: number) => Renewed | undefined,
  ): Found | Promise<Found> {
    if (!counted) return undefined
    const keep = (total: number) => {
      const made = print(total)
      if (!made) return undefined
      memory.keep(key, made.renewed)
      return given(made.renewed, made.body, made.said)
    }
    const total = storage.count(counted.resource, counted.where)
    if (typeof total === 'number') return keep(total)
    const end = begin(key)
    // What was written meanwhile may be in the total, and is not in the rest.
    return total.then((latest) => (verdictOf(seen) === 'same' ? keep(latest) : undefined)).finally(end)
  }
  return {
    total(key, entry, storage) {
      const { part, counted, seen } = entry
      if (!part) return undefined
      memory.take(key) // the verdict is said once
      return count({ key, counted, seen, storage }, (total) => entries.withTotal(entry, { part, total }, memory))
    },
    rows(key, entry, storage) {
      const moved = fronts.find(key, entry)
      if (!moved) return undefined
      memory.delete(key)
      const { seen } = moved
      return count({ key, counted: entry.counted, seen, storage }, (total) => entries.withRows(entry, moved, total))
    },
  }
}
