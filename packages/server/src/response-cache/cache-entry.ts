/**
 * One cached response: its bytes, the reads that it depends on, and the copy of it that a request
 * gets. Entries are small and consist of few objects. There are thousands of them, and large ones
 * would miss the processor's cache.
 */
import type { OperationTarget } from '../policy/rule-of.ts'
import type { ConditionWatch } from '../storage/derived/condition-watch.ts'
import { inOnePiece } from '../value/latin1.ts'
import { type MemoryEntry, timeOf } from './cache-memory.ts'
import { memoryBodyOf, type SendableBody } from './cached-body.ts'
import type { CachedPage, PrintPageEnding } from './cached-page.ts'
import { type Dependency, dependencyBytes, type Freshness, freshnessOfDependency } from './dependency.ts'
import type { ReadTracking } from './read-tracking.ts'

export type CachedResponse = {
  readonly headers: Readonly<Record<string, string>>
  /** Further headers, printed as lines. */
  readonly printed?: string | undefined
  readonly body: string | Buffer
  /** The name of the GraphQL operation that it answers. */
  readonly operation?: string | undefined
  /** For a page that shows its total, where that part can be printed separately. */
  readonly part?: CachedPage | undefined
}

/** A cached response, as it is sent. */
export type CacheHit = Pick<CachedResponse, 'printed' | 'operation'> & {
  /** Made for this request. */
  readonly headers: Record<string, string>
  readonly body: SendableBody
  /** With the ETag, identifies the bytes of the body, in memory or in the file. */
  readonly source: object
}

export type CacheEntry = MemoryEntry &
  Pick<CachedResponse, 'operation' | 'part'> & {
    /** Without the ETag: one object shared by all entries with equal headers. */
    readonly headers: CachedResponse['headers']
    etag: string | undefined
    printed: CachedResponse['printed']
    readonly dependencies: Dependency | readonly Dependency[]
    readonly admitted: readonly OperationTarget[]
    /** The condition whose total the response shows. */
    readonly counted: ConditionWatch | undefined
  }

/** Bytes of an entry besides its body, its key and its dependencies, as measured. */
const entryBytes = 320
/** Bytes of another page ending; every page reserves them. */
const endBytes = 96

function isOne(seen: CacheEntry['dependencies']): seen is Dependency {
  return !Array.isArray(seen)
}

/** How the data that the response depends on has changed. */
export function freshnessOf(seen: CacheEntry['dependencies']): Freshness {
  if (isOne(seen)) return freshnessOfDependency(seen)
  let verdict: Freshness = 'same'
  for (const one of seen) {
    const said = freshnessOfDependency(one)
    if (said === 'changed') return said
    if (said === 'total') verdict = said
  }
  return verdict
}

/** Shared by the thousands of entries that depend on their own route's rule alone. */
const nobodyElse: readonly OperationTarget[] = []

/** Header sets that thousands of responses share. */
const sharedMax = 100

type EntryHeaders = Pick<CacheEntry, 'headers' | 'etag'>

/** Splits headers into the ETag and the rest; equal rests share one object. */
function makeShare(): (headers: CachedResponse['headers']) => EntryHeaders {
  const shared = new Map<string, CachedResponse['headers']>()
  return ({ etag, ...headers }) => {
    const key = JSON.stringify(headers)
    const known = shared.get(key)
    if (known === undefined && shared.size < sharedMax) shared.set(key, headers)
    return { headers: known ?? headers, etag }
  }
}

function headersOf(headers: CacheEntry['headers'], etag: string | undefined): Record<string, string> {
  const all: Record<string, string> = { ...headers }
  if (etag !== undefined) all.etag = etag
  return all
}

/** The entry as it is sent. */
export function cacheHitOf(entry: CacheEntry, body: SendableBody): CacheHit {
  const { headers, etag, printed, operation } = entry
  return { headers: headersOf(headers, etag), printed, operation, body, source: entry }
}

const unused = () => ({ usedMs: timeOf(performance.now()), uses: 0 })

export type CacheEntries = {
  /** An entry that has not been read yet. */
  of(answer: CachedResponse, tracking: ReadTracking): CacheEntry
  /** Gives the entry another total; its use count starts again. */
  setTotal(entry: CacheEntry, part: CachedPage, total: number): void
}

export function makeCacheEntries(printEnd: PrintPageEnding): CacheEntries {
  const share = makeShare()
  return {
    of({ headers, printed, operation, part, body }, { dependencies, admitted, counted }) {
      return {
        ...share(headers),
        printed,
        operation,
        part,
        // An array that has grown has unused capacity.
        dependencies: dependencies.length === 1 ? (dependencies[0] as Dependency) : dependencies.slice(),
        admitted: admitted.length === 0 ? nobodyElse : admitted.slice(),
        counted: part && counted(),
        ...unused(),
        body: typeof body === 'string' ? memoryBodyOf(body) : body,
        filed: undefined,
        at: undefined,
        end: undefined,
        bytes: dependencies.reduce((sum, one) => sum + dependencyBytes(one), part ? entryBytes + endBytes : entryBytes),
      }
    },
    setTotal(entry, part, total) {
      const { end, etag, printed } = printEnd(part, total)
      Object.assign(entry, { etag, printed: inOnePiece(printed), at: part.at, end, ...unused() })
    },
  }
}
