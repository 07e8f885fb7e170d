/** Kept answers of which one part has changed, made again from the others. */
import type { Watch } from '../storage/derived/watch.ts'
import type { Asker, StoredReads } from '../storage/storage.ts'
import type { AnswerMemory } from './answer-memory.ts'
import { type Entries, type Entry, type FoundAnswer, given, verdictOf } from './entry.ts'
import type { Fronts, Moved, Unread } from './fronts.ts'

type Found = FoundAnswer | undefined

type Parts = {
  readonly memory: AnswerMemory<Entry>
  readonly entries: Entries
  readonly fronts: Fronts
  readonly storage: Pick<StoredReads, 'knownTotal' | 'by' | 'changes'>
  /** Makes others who ask for the same wait until what it returns is called, with the error if there is one. */
  begin(key: string): (error?: unknown) => void
}

/** `counted`: what is counted for an answer; `seen`: what the rest of it rests on. */
type Counting = Pick<Entry, 'counted' | 'seen'> & { readonly key: string; readonly asker: Asker }

type Renewal = (key: string, entry: Entry, asker: Asker) => Found | Promise<Found>

/** Both give undefined where the whole must be made anew. Others who ask meanwhile wait. */
export type Renew = {
  /** Nothing but the total has changed. */
  readonly total: Renewal
  /** Other records are shown, or may be. */
  readonly rows: Renewal
}

export function makeRenew({ memory, entries, fronts, storage, begin }: Parts): Renew {
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
  /** The page with the records that stand there now. */
  function withRows(key: string, entry: Entry, { moved, asker }: { moved: Moved; asker: Asker }) {
    memory.delete(key)
    const { seen } = moved
    return count({ key, counted: entry.counted, seen, asker }, (total) => {
      const made = entries.withRows(entry, moved, total)
      if (!made) return undefined
      memory.keep(key, made.renewed)
      return given(made.renewed, made.body, made.said)
    })
  }
  /** Nothing is noted where something is written at the same time: what was read may be of before or after. */
  async function read({ watch, request, note }: Unread, asker: Asker): Promise<void> {
    const since = watch.now()
    const { rows } = await storage.by(asker).page(watch.resource, request)
    await storage.changes.catchUp()
    if (watch.since(since)?.length === 0) note(since, rows)
  }
  return {
    total(key, entry, asker) {
      const { part, counted, seen } = entry
      if (!part) return undefined
      return count({ key, counted, seen, asker }, (total) => {
        const sent = entries.setTotal(entry, { part, total }, memory)
        if (!sent) return undefined
        memory.keep(key, entry)
        return given(entry, sent.body, sent.said)
      })
    },
    rows(key, entry, asker) {
      const moved = fronts.find(key, entry)
      if (moved) return withRows(key, entry, { moved, asker })
      const unread = fronts.unread(key, entry)
      if (!unread) return undefined
      memory.delete(key)
      return alone(key, async () => {
        await read(unread, asker)
        const found = fronts.find(key, entry)
        return found && withRows(key, entry, { moved: found, asker })
      })
    },
  }
}
