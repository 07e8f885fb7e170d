/**
 * One kept answer: what is kept of it, what it rests on, and what is given of it. It is as little
 * as there can be, in few objects: thousands are kept, and what a request must look at is far away
 * among what the others are made of.
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
  /** Lines of further headers. */
  readonly printed?: string | undefined
  readonly body: string | Buffer
  /** The name of the GraphQL operation that it answers. */
  readonly operation?: string | undefined
  /** Of a page that says its total, where that part can be printed apart. */
  readonly part?: CachedPage | undefined
}

/** What was kept, as it is sent. */
export type CacheHit = Pick<CachedResponse, 'printed' | 'operation'> & {
  /** Made for whoever asks. */
  readonly headers: Record<string, string>
  readonly body: SendableBody
  /** With the ETag, what stands for the bytes of the body, which are in memory or in the file. */
  readonly source: object
}

export type CacheEntry = MemoryEntry &
  Pick<CachedResponse, 'operation' | 'part'> & {
    /** All but the ETag: one object for all answers that have the same ones. */
    readonly headers: CachedResponse['headers']
    etag: string | undefined
    printed: CachedResponse['printed']
    readonly dependencies: Dependency | readonly Dependency[]
    readonly admitted: readonly OperationTarget[]
    /** What the answer shows the total of. */
    readonly counted: ConditionWatch | undefined
  }

/** What an answer takes besides its bytes, its key and what it rests on, as measured. */
const entryBytes = 320
/** What another end takes, for which there is room in any page. */
const endBytes = 96

function isOne(seen: CacheEntry['dependencies']): seen is Dependency {
  return !Array.isArray(seen)
}

/** What has become of all that it rests on. */
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

/** One for the thousands that rest on nothing but their own route's rule. */
const nobodyElse: readonly OperationTarget[] = []

/** What is the same in thousands of answers. */
const sharedMax = 100

type EntryHeaders = Pick<CacheEntry, 'headers' | 'etag'>

/** Splits headers into the ETag and the rest, of which one stands for all that are the same. */
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
  /** An answer that has not been asked for yet. */
  of(answer: CachedResponse, tracking: ReadTracking): CacheEntry
  /** Gives it another total, with which it has not been asked for. */
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
        // An array that has grown has room to grow further.
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
