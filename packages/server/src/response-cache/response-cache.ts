/**
 * Answers that are kept as bytes, each with what it rests on. Nothing is dropped when something is
 * written: an answer is checked against the changes since, when it is asked for again. Who may have
 * it is part of its key, and is judged on every request before it is looked for.
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
  /** Perform the operation with this engine: it notes what is read. */
  readonly engine: Engine
  /** Keeps the answer, unless something was written for it, or it depends on the time. */
  keep(answer: CachedResponse): void
  /**
   * Must be called, whatever happened: others who ask for the same wait until then, and an outage
   * is the same for all of them.
   */
  end(error?: unknown): void
}

/** Who asks, and to whom the cost of a count belongs. */
export type CacheCaller = { readonly principal: Principal; readonly readClient: ReadClient }

type Lookup = CacheHit | undefined

export type ResponseCache = {
  /**
   * The answer as it would be made now for this caller; undefined where none is kept. At once where
   * nothing has to be waited for.
   */
  find(key: string, caller: CacheCaller): Lookup | Promise<Lookup>
  /**
   * Call it when none was found, with the engine that would perform the operation. Undefined where
   * the answer is not worth keeping yet. `eager`: it is from the first time on, as long as there is
   * room, because making it costs more than keeping it.
   */
  record(key: string, own: Engine, options: { readonly eager: boolean }): CacheRecorder | undefined
  /** What callers see, as parts of keys. */
  readonly scopes: CacheScopes
  /** For what is counted. */
  figures(): CacheFigures
}

/**
 * `found`: answers that were given as they were kept; `renewed`: with another total; `missed`:
 * asked for and not there, or changed since.
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
  /** For what has no room in memory. */
  readonly file: CacheFile
  readonly printEnd: PrintPageEnding
}

const keyLengthMax = 16_384
/**
 * Where an answer of this size has room, each is kept; where it has not, what is asked for more
 * often than something else.
 */
const usualBytes = 8_192
/** What was never asked for before counts as asked for so long ago. */
const newcomerMs = 15_000

/**
 * What meets one who asks meets all: the database is away or busy. Whoever merely left has no time
 * to try again.
 */
function isOutage(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unavailable' && error.retryAfterSeconds !== undefined
}

const no = () => false
const yes = () => true

/**
 * False when the log cannot be read: then nothing in memory may be trusted, and the reads
 * themselves say what is wrong.
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
    return false // performing it says why
  }
}

/**
 * Answers that are being made, so that one change to what many ask for makes one read and not as
 * many as ask.
 */
function makeMaking() {
  const making = new Map<string, Promise<unknown>>()
  return {
    making,
    /** Makes others wait until what it returns is called. */
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
    askedBefore.note(key) // what was kept is worth keeping again
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
      const latest = memory.get(key) // it may be another by then, or be made anew
      return latest ? judge(key, latest, caller) : whenMade(key, caller)
    })
  }
  /** Undefined where nobody is making it. */
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
