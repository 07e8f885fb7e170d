/**
 * Caches responses as bytes, each with the reads that it depends on. A write drops nothing. When an
 * entry is requested again, the cache checks it against the changes since. The caller's view is
 * part of the key, and every request is judged before the look-up.
 */
import { ApiError } from '../errors.ts'
import type { Engine } from '../perform/engine.ts'
import type { OperationTarget } from '../policy/rule-of.ts'
import type { Principal } from '../resource/principal.ts'
import type { ReadClient, ReadStorage } from '../storage/storage.ts'
import {
  type CachedResponse,
  type CacheEntry,
  type CacheHit,
  cacheHitOf,
  freshnessOf,
  makeCacheEntries,
} from './cache-entry.ts'
import type { CacheFile } from './cache-file.ts'
import { makeCacheMemory } from './cache-memory.ts'
import { type CacheScopes, makeCacheScopes } from './cache-scope.ts'
import type { PrintPageEnding } from './cached-page.ts'
import { makeReadTracking } from './read-tracking.ts'
import { makeRecentKeys } from './recent-keys.ts'
import { makeRefreshTotal } from './refresh-total.ts'

export type CacheRecorder = {
  /** Perform the operation with this engine: it records its reads. */
  readonly engine: Engine
  /** Caches the response, unless the operation wrote or read the clock. */
  keep(answer: CachedResponse): void
  /**
   * Always call it: concurrent requests for the same response wait for it, and fail together when
   * the database is down.
   */
  end(error?: unknown): void
}

/** The caller, and the client to whom the cost of a count belongs. */
export type CacheCaller = { readonly principal: Principal; readonly readClient: ReadClient }

type Lookup = CacheHit | undefined

export type ResponseCache = {
  /**
   * The response as it would be made now for this caller; undefined where none is cached. Returns
   * at once where it need not wait.
   */
  find(key: string, caller: CacheCaller): Lookup | Promise<Lookup>
  /**
   * Call it after a miss, with the engine that would perform the operation. Undefined where the
   * response is not worth caching yet. `eager`: it is worth it from the first request, as long as
   * there is room, because making it is expensive.
   */
  record(key: string, own: Engine, options: { readonly eager: boolean }): CacheRecorder | undefined
  /** Parts of keys that stand for callers' views. */
  readonly scopes: CacheScopes
  /** For metrics. */
  figures(): CacheFigures
}

/**
 * `found`: responses that were sent as cached. `renewed`: with another total. `missed`: not cached,
 * or changed since.
 */
export type CacheFigures = {
  readonly found: number
  readonly renewed: number
  readonly missed: number
  readonly bytes: number
  readonly fileBytes: number
  readonly answers: number
}

type ResponseCacheOptions = {
  readonly engine: Engine
  readonly bytesMax: number
  readonly answerBytesMax: number
  /** For responses that do not fit in memory. */
  readonly file: CacheFile
  readonly printEnd: PrintPageEnding
}

const keyLengthMax = 16_384
/**
 * Where an entry of this size fits, each response is cached. Otherwise only those that are
 * requested more often than an entry.
 */
const usualBytes = 8_192
/** A key that was never requested counts as requested so long ago. */
const newcomerMs = 15_000

/**
 * An outage, which all waiting requests share: the database is down or busy. A client that merely
 * disconnected has no retry.
 */
function isOutage(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unavailable' && error.retryAfterSeconds !== undefined
}

const no = () => false
const yes = () => true

/**
 * False when the change log cannot be read. Then no entry may be trusted, and performing the read
 * reports the error.
 */
function isCurrent({ changes }: ReadStorage): boolean | Promise<boolean> {
  try {
    return changes.catchUp()?.then(yes, no) ?? true
  } catch {
    return false
  }
}

function isAdmitted({ admit }: Engine['policy'], principal: Principal, targets: readonly OperationTarget[]): boolean {
  try {
    for (const target of targets) admit(principal, target)
    return true
  } catch {
    return false // performing the read reports the error
  }
}

/**
 * Responses being made. After one change, concurrent requests for the same response share one read.
 */
function makeMaking() {
  const making = new Map<string, Promise<unknown>>()
  return {
    making,
    /** Makes concurrent requests wait until the returned function is called. */
    begin(key: string): CacheRecorder['end'] {
      if (making.has(key)) return () => undefined
      const { promise, resolve } = Promise.withResolvers<unknown>()
      making.set(key, promise)
      return (error) => {
        if (making.get(key) === promise) making.delete(key)
        resolve(error)
      }
    },
  }
}

export function makeResponseCache({
  engine,
  bytesMax,
  answerBytesMax,
  file,
  printEnd,
}: ResponseCacheOptions): ResponseCache {
  const { policy, storage } = engine
  const [memory, entries] = [makeCacheMemory<CacheEntry>(bytesMax, file), makeCacheEntries(printEnd)]
  const askedBefore = makeRecentKeys()
  const { making, begin } = makeMaking()

  function drop(key: string): undefined {
    memory.delete(key)
    askedBefore.note(key) // a response that was cached is worth caching again
    return undefined
  }

  const renew = makeRefreshTotal({ memory, entries, storage, begin })
  const figures = { found: 0, renewed: 0, missed: 0 }
  function judge(key: string, entry: CacheEntry, { principal, readClient }: CacheCaller): Lookup | Promise<Lookup> {
    if (!isAdmitted(policy, principal, entry.admitted)) return undefined
    switch (freshnessOf(entry.dependencies)) {
      case 'same': {
        const body = memory.give(key, entry)
        if (!body) return drop(key)
        figures.found += 1
        return cacheHitOf(entry, body)
      }
      case 'total': {
        const found = renew(key, entry, readClient)
        if (found === undefined) return drop(key)
        figures.renewed += 1
        return found
      }
      case 'changed':
        return drop(key)
    }
  }

  function findKept(key: string, entry: CacheEntry | undefined, caller: CacheCaller): Lookup | Promise<Lookup> {
    const current = entry !== undefined && isCurrent(storage)
    if (entry === undefined || current === false) return undefined
    if (current === true) return judge(key, entry, caller)
    return current.then((is) => {
      if (!is) return undefined
      const latest = memory.get(key) // it may have been replaced or be made again by then
      return latest ? judge(key, latest, caller) : whenMade(key, caller)
    })
  }
  /** Undefined where no request is making it. */
  function whenMade(key: string, caller: CacheCaller): Promise<Lookup> | undefined {
    return making.get(key)?.then((error) => {
      if (isOutage(error)) throw error
      return findKept(key, memory.get(key), caller)
    })
  }

  return {
    scopes: makeCacheScopes(policy.facts),
    figures() {
      const { bytes, fileBytes, answers } = memory.figures()
      return { ...figures, bytes, fileBytes, answers }
    },
    find(key, caller) {
      const entry = memory.get(key)
      return entry ? findKept(key, entry, caller) : whenMade(key, caller)
    },
    record(key, own, { eager }) {
      figures.missed += 1
      if (key.length > keyLengthMax) return undefined
      const agoMs = askedBefore.note(key) ?? (eager ? newcomerMs : undefined)
      if (agoMs === undefined || !memory.hasRoom(usualBytes, { ms: agoMs })) return undefined
      const tracking = makeReadTracking(own)
      return {
        engine: tracking.engine,
        end: begin(key),
        keep(answer) {
          if (tracking.hasWritten() || tracking.hasReadClock()) return
          if (Buffer.byteLength(answer.body) > answerBytesMax) return
          memory.keep(key, entries.of(answer, tracking))
        },
      }
    },
  }
}
