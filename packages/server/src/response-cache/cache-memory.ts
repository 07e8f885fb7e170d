/**
 * The memory of cached responses, bounded in bytes. While there is room, bodies stay in memory,
 * ready to send. When it is full, the least recently used bodies go to a file. That makes room for
 * several times as many, and reading one is far cheaper than making it again.
 */
import { LRUCache } from 'lru-cache'
import type { CacheFile } from './cache-file.ts'
import {
  asBuffer,
  asText,
  type FiledBody,
  isLarge,
  joinBody,
  type MemoryBody,
  type SendableBody,
  sendableOf,
  writeToFile,
} from './cached-body.ts'

/** The fields of an entry that the memory needs; the cache adds others. */
export type MemoryEntry = {
  /** When it was last used, by `timeOf`, to a few seconds. */
  usedMs: number
  /** How often it was used since then; counted for bodies that may go to the file. */
  uses: number
  /**
   * As it is sent; undefined where it is in the file alone. The memory alone sets both, once it has
   * the entry.
   */
  body: MemoryBody | undefined
  filed: FiledBody | undefined
  /** Where and how both end, if not as they are stored. */
  at: number | undefined
  end: string | undefined
  /** Its bytes without its key and its body, and with another ending than the entry has. */
  readonly bytes: number
}

/** The places of a body: memory, the file, or both. */
type StoredResponse = Pick<MemoryEntry, 'body' | 'filed' | 'at' | 'end'>

export type CacheMemory<T extends MemoryEntry> = {
  get(key: string): T | undefined
  /**
   * The body of an entry that `get` found; it counts as a use. Undefined where it was overwritten.
   */
  give(key: string, entry: T): SendableBody | undefined
  /** The same without counting a use. */
  bodyOf(stored: StoredResponse): SendableBody | undefined
  /** Whether so many bytes more would evict nothing that was used as recently as that. */
  hasRoom(bytes: number, lately: { readonly ms: number }): boolean
  /**
   * A body that is a buffer may be shared, or a part of one, unless it ends otherwise than it is
   * stored. Keeping an existing entry again means that it has another ending, and counts as a use.
   */
  keep(key: string, entry: T): void
  delete(key: string): void
  /** As `delete`, but keeps its slot in the file: it will be kept again, with another ending. */
  take(key: string): void
  figures(): { readonly bytes: number; readonly fileBytes: number; readonly answers: number }
}

/** The share of a full memory that is left to bodies. */
const plainShare = 1 / 8
/**
 * A body that is used more often than this within `frontMs` becomes a buffer in memory. Below that,
 * making one costs more than it saves.
 */
const oftenUses = 32
/**
 * In a full memory, a body must be used so many times as often as the one that it replaces. Equal
 * ones do not replace each other.
 */
const oftenerBy = 8
/**
 * An entry that was moved to the front so recently stays: moving it takes as long as finding it.
 */
const frontMs = 4_000
const bytesOfCharacter = 2
/** Memory that a slot of the file takes, as measured. */
const placeBytes = 96

/** `performance.now()` as an integer: any other number would be an object of its own. */
export const timeOf = (nowMs: number) => Math.floor(nowMs)

const performanceNow = () => performance.now()

/**
 * The bytes in memory of an entry: all of it, or the part that stays when its body goes to the
 * file.
 */
function sizeOf({ body, bytes }: MemoryEntry, key: string): number {
  const about = bytes + key.length * bytesOfCharacter
  return about + (body === undefined || isLarge(body) ? placeBytes : body.length)
}

/**
 * Moves a body to the file, without writing it again where it is there already. Returns whether it
 * is in the file alone now.
 */
function leaveToFile(entry: MemoryEntry, file: CacheFile): boolean {
  const { body, filed } = entry
  if (body === undefined || !isLarge(body)) return false
  entry.filed = filed && file.has(filed.place) ? filed : writeToFile(file, body)
  if (entry.filed) entry.body = undefined
  return entry.filed !== undefined
}

/** All entries, in the order of their last uses; decides which are evicted. */
function makeOrder<T extends MemoryEntry>(bytesMax: number, file: CacheFile) {
  const plainBytesMin = bytesMax * plainShare
  // makeWay bounds both together; neither may drop entries by itself.
  const each = { maxSize: bytesMax * 2, maxEntrySize: bytesMax }
  /** Entries whose body is in memory and could be in the file. Their size is that of the body. */
  const plain = new LRUCache<string, T>({ ...each, sizeCalculation: ({ body }) => body?.length ?? 0 })
  const all = new LRUCache<string, T>({
    ...each,
    sizeCalculation: sizeOf,
    dispose: (_, key) => void plain.delete(key),
  })

  const bytes = () => plain.calculatedSize + all.calculatedSize
  const hasRoomFor = (more: number) => bytes() + more <= bytesMax

  function fileOldest(): void {
    const [key, entry] = plain.rentries().next().value as [string, T]
    plain.delete(key)
    if (!leaveToFile(entry, file)) all.delete(key)
  }

  function leave({ filed }: StoredResponse): void {
    if (filed) file.leave(filed.place)
  }
  function drop(key: string): void {
    const entry = all.peek(key)
    if (!entry) return
    all.delete(key)
    leave(entry)
  }
  /** Drops the least recently used entry. */
  function popped(): boolean {
    const oldest = all.pop()
    if (oldest) leave(oldest)
    return oldest !== undefined
  }

  function makeWay(): void {
    while (bytes() > bytesMax) {
      if (plain.calculatedSize > plainBytesMin) fileOldest()
      else if (!popped()) return
    }
  }

  return {
    bytes,
    hasRoomFor,
    length: () => all.size,
    get: (key: string) => all.peek(key),
    touch: (key: string) => void all.get(key),
    putInFront(key: string, entry: T): void {
      all.get(key)
      if (entry.body && isLarge(entry.body)) plain.get(key)
    },
    put(key: string, entry: T): void {
      drop(key)
      if (entry.body && entry.body.length > bytesMax) return
      all.set(key, entry)
      if (entry.body && isLarge(entry.body)) plain.set(key, entry)
      makeWay()
    },
    /** Whether there is room for its body, or a less often used one to replace. */
    deservesRoom({ usedMs, uses }: T, bytesMore: number): boolean {
      if (hasRoomFor(bytesMore)) return true
      if (bytesMore > bytesMax) return false
      const oldest = plain.rvalues().next().value
      return oldest !== undefined && (usedMs - oldest.usedMs > frontMs || uses > oldest.uses * oftenerBy)
    },
    /** Notes that its body, which was in the file alone, is in memory now. */
    putBody(key: string, entry: T): void {
      all.get(key)
      plain.set(key, entry)
      makeWay()
    },
    drop,
    take: (key: string) => void all.delete(key),
    /**
     * The entry that is evicted next when there is no room; undefined where it goes to the file.
     */
    nextToGo(): T | undefined {
      if (file.works() && plain.calculatedSize > plainBytesMin * 2) return undefined
      const list = !file.works() && plain.calculatedSize > plainBytesMin ? plain : all
      return list.rvalues().next().value ?? undefined
    },
  }
}

export function makeCacheMemory<T extends MemoryEntry>(
  bytesMax: number,
  file: CacheFile,
  now: () => number = performanceNow,
): CacheMemory<T> {
  const order = makeOrder<T>(bytesMax, file)
  function bodyOf({ body, filed, at, end = '' }: StoredResponse): SendableBody | undefined {
    if (body !== undefined && at === undefined) return sendableOf(body)
    const stored = body ?? filed
    return stored === undefined ? undefined : joinBody(file, stored, at === undefined ? undefined : { at, end })
  }
  const { hasRoomFor } = order
  /**
   * Stores a body that was joined from its stored bytes and another ending, from now on in one
   * piece.
   */
  function makeWhole(entry: T, body: Buffer): void {
    entry.body = body
    if (entry.at === undefined) return
    if (entry.filed) file.leave(entry.filed.place)
    entry.filed = undefined
    entry.at = undefined
    entry.end = undefined
  }

  /** Uses of entries that never go to the file are not counted, so a hit writes nothing. */
  function countsUse(entry: T): boolean {
    if (entry.body !== undefined && !isLarge(entry.body)) return false
    entry.uses += 1
    return true
  }
  /** The body as a buffer in memory, where it is used often enough. */
  function oftenOf(key: string, entry: T, body: SendableBody): Buffer | undefined {
    const { body: plain } = entry
    if (entry.uses <= oftenUses || Buffer.isBuffer(plain)) return undefined
    if (plain === undefined && !order.deservesRoom(entry, entry.filed?.bytes ?? 0)) return undefined
    const often = asBuffer(body)
    makeWhole(entry, often)
    if (plain === undefined) order.putBody(key, entry)
    return often
  }

  return {
    get: order.get,
    bodyOf,
    give(key, entry) {
      const body = bodyOf(entry)
      if (body === undefined) return undefined
      const nowMs = timeOf(now())
      if (nowMs - entry.usedMs > frontMs) {
        entry.usedMs = nowMs
        entry.uses = 0
        order.putInFront(key, entry)
      }
      return countsUse(entry) ? (oftenOf(key, entry, body) ?? body) : body
    },
    hasRoom(more, { ms }) {
      if (hasRoomFor(more)) return true
      const next = order.nextToGo()
      return next === undefined || now() - next.usedMs > ms
    },
    keep(key, entry) {
      if (order.get(key) === entry) return order.touch(key)
      const bytes = sizeOf(entry, key) + (entry.body?.length ?? 0)
      const isInFile = !hasRoomFor(bytes) && leaveToFile(entry, file)
      if (!isInFile && entry.at === undefined && Buffer.isBuffer(entry.body)) entry.body = asText(entry.body)
      order.put(key, entry)
    },
    delete: order.drop,
    take: order.take,
    figures: () => ({ bytes: order.bytes(), fileBytes: file.size(), answers: order.length() }),
  }
}
