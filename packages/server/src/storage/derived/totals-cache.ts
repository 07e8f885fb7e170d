/**
 * A cache of totals. The database counts each total once; then each change moves it by whether its
 * record matched before and matches now. It serves every kind of database.
 */
import { LRUCache } from 'lru-cache'
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import type { Change } from '../changes.ts'
import { clientHasLeft } from '../costly-reads.ts'
import type { ConditionWatch, ConditionWatches, Position } from './condition-watch.ts'

/** An exact count, and the changes that it includes: those committed in its snapshot. */
export type CountedTotal = { readonly total: number; includes(change: Change): boolean }

/** Counts without a cache: at once, or later on another thread while writes go on. */
export type CountExactly = (resource: Resource, where: Condition) => CountedTotal | Promise<CountedTotal>

export type TotalsCache = {
  /**
   * The number of matching records, as of all changes that the change log has reported to this
   * process. `count`: counts for this caller where the cache has no total.
   */
  total(resource: Resource, where: Condition, count: CountExactly): number | Promise<number>
  /** The total, if the cache has it. */
  known(resource: Resource, where: Condition): number | undefined
}

type TotalEntry = { readonly watch: ConditionWatch; readonly counted: CountedTotal; position: Position; total: number }

type TotalRequest = {
  readonly resource: Resource
  readonly where: Condition
  readonly key: string
  readonly count: CountExactly
}

const entryBytes = 400
const bytesOfCharacter = 2

/** The total now; undefined where the effect of a change since the count is not known. */
function settle(entry: TotalEntry): number | undefined {
  const { watch, counted } = entry
  const touches = watch.since(entry.position)
  if (!touches) return undefined
  if (touches.length === 0) return entry.total
  let { total } = entry
  for (const { rowChange, growth } of touches) {
    if (counted.includes(rowChange.change)) continue
    if (growth === undefined) return undefined
    total += growth
  }
  entry.total = total
  entry.position = watch.now()
  return total
}

type TotalsCacheDeps = {
  readonly watches: ConditionWatches
  /** The memory limit of totals; 0 keeps none. */
  readonly bytesMax: number
}

export function makeTotalsCache({ watches, bytesMax }: TotalsCacheDeps): TotalsCache {
  const entries = new LRUCache<string, TotalEntry>({
    maxSize: Math.max(1, bytesMax),
    sizeCalculation: (_, key) => entryBytes + key.length * bytesOfCharacter,
  })
  const counting = new Map<string, Promise<TotalEntry>>()

  function find(key: string): number | undefined {
    const entry = entries.get(key)
    const total = entry && settle(entry)
    if (entry && total === undefined) entries.delete(key)
    return total
  }
  function keep(key: string, entry: TotalEntry): TotalEntry {
    if (bytesMax > 0) entries.set(key, entry)
    return entry
  }

  function begin({ resource, where, key, count }: TotalRequest): TotalEntry | Promise<TotalEntry> {
    const watch = watches.of(resource, where, key)
    const position = watch.now()
    const entryOf = (counted: CountedTotal) => keep(key, { watch, counted, position, total: counted.total })
    const counted = count(resource, where)
    if (!(counted instanceof Promise)) return entryOf(counted)
    const entry = counted.then(entryOf).finally(() => counting.delete(key))
    counting.set(key, entry)
    return entry
  }

  /**
   * A count that began after the caller's request is right for that caller, despite later writes.
   */
  const latest = (entry: TotalEntry) => settle(entry) ?? entry.counted.total

  /**
   * Shares a running count, and adds the changes since it began. Where their effect is not known,
   * the caller shares the next count.
   */
  async function join(
    running: Promise<TotalEntry>,
    ask: () => TotalEntry | Promise<TotalEntry>,
    key: string,
  ): Promise<number> {
    let total: number | undefined
    try {
      total = settle(await running)
    } catch (error) {
      if (error !== clientHasLeft) throw error // that count ran for a client that has disconnected
    }
    return total ?? latest(await (counting.get(key) ?? ask()))
  }

  return {
    known: (resource, where) => find(watches.keyOf(resource, where)),
    total(resource, where, count) {
      const key = watches.keyOf(resource, where)
      const found = find(key)
      if (found !== undefined) return found
      const ask = () => begin({ resource, where, key, count })
      const running = counting.get(key)
      if (running) return join(running, ask, key)
      const entry = ask()
      return entry instanceof Promise ? entry.then(latest) : entry.total
    },
  }
}
