/**
 * The memory of kept answers, which is bounded in bytes. Answers are there as they are sent while
 * there is room for that. Where it is full, what was not asked for lately goes to a file, so that
 * several times as many have room, and reading one costs a small part of making it anew.
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

/** What the memory must know of an answer; whoever keeps it has more. */
export type MemoryEntry = {
  /** When it was last given, by `timeOf`, to some seconds. */
  usedMs: number
  /** How often it was given since then, of what may go to the file. */
  uses: number
  /**
   * As it is sent; undefined where it is in the file alone. Both are set by the memory alone, once
   * it has the answer.
   */
  body: MemoryBody | undefined
  filed: FiledBody | undefined
  /** Where both end otherwise than they are stored: where, and how. */
  at: number | undefined
  end: string | undefined
  /** What it takes besides its key and its body, with another end than that has. */
  readonly bytes: number
}

/** Where an answer is: in memory, in the file, or in both. */
type StoredResponse = Pick<MemoryEntry, 'body' | 'filed' | 'at' | 'end'>

export type CacheMemory<T extends MemoryEntry> = {
  get(key: string): T | undefined
  /** The body of what was got, which counts as given; undefined where it is gone. */
  give(key: string, entry: T): SendableBody | undefined
  /** The same, which counts for nothing. */
  bodyOf(stored: StoredResponse): SendableBody | undefined
  /** Whether so many bytes more would drive out nothing that was asked for so lately. */
  hasRoom(bytes: number, lately: { readonly ms: number }): boolean
  /**
   * A body that is a buffer may be somebody else's, or a part of one, unless it ends otherwise than
   * it is stored. What is there already has another end now, and counts as asked for.
   */
  keep(key: string, entry: T): void
  delete(key: string): void
  /**
   * As `delete`, but its place in the file stays its own: it will be kept again, with another end.
   */
  take(key: string): void
  figures(): { readonly bytes: number; readonly fileBytes: number; readonly answers: number }
}

/** The share of a full memory that is left to answers as they are sent. */
const plainShare = 1 / 8
/**
 * What is given more often than this within `frontMs` is a buffer, and in memory: for less, to make
 * one costs more than it saves.
 */
const oftenUses = 32
/**
 * In a full memory so many times as often as what goes to the file for it: among equals none takes
 * the place of another.
 */
const oftenerBy = 8
/**
 * What was put in front so lately stays where it is: to put it there again takes as long as to find
 * it.
 */
const frontMs = 4_000
const bytesOfCharacter = 2
/** What a place in the file takes in memory, as measured. */
const placeBytes = 96

/** Of `performance.now()`: whole, because any other number is an object of its own. */
export const timeOf = (nowMs: number) => Math.floor(nowMs)

const performanceNow = () => performance.now()

/** What stays in memory of an answer whose body goes to the file, and the whole of any other. */
function sizeOf({ body, bytes }: MemoryEntry, key: string): number {
  const about = bytes + key.length * bytesOfCharacter
  return about + (body === undefined || isLarge(body) ? placeBytes : body.length)
}

/** Whether it is in the file alone now; it is not written again where it is there already. */
function leaveToFile(entry: MemoryEntry, file: CacheFile): boolean {
  const { body, filed } = entry
  if (body === undefined || !isLarge(body)) return false
  entry.filed = filed && file.has(filed.place) ? filed : writeToFile(file, body)
  if (entry.filed) entry.body = undefined
  return entry.filed !== undefined
}

/** All answers, in the order of their uses, and what goes when there are too many. */
function makeOrder<T extends MemoryEntry>(bytesMax: number, file: CacheFile) {
  const plainBytesMin = bytesMax * plainShare
  // makeWay bounds both together; neither may drop anything by itself.
  const each = { maxSize: bytesMax * 2, maxEntrySize: bytesMax }
  /** Those whose body could be in the file and is in memory, which is what their size is. */
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
  /** Drops what was not used for longest. */
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
    /** Whether there is room for its body, or something else in its place that is given less. */
    deservesRoom({ usedMs, uses }: T, bytesMore: number): boolean {
      if (hasRoomFor(bytesMore)) return true
      if (bytesMore > bytesMax) return false
      const oldest = plain.rvalues().next().value
      return oldest !== undefined && (usedMs - oldest.usedMs > frontMs || uses > oldest.uses * oftenerBy)
    },
    /** Its body, which was in the file alone, is in memory now. */
    putBody(key: string, entry: T): void {
      all.get(key)
      plain.set(key, entry)
      makeWay()
    },
    drop,
    take: (key: string) => void all.delete(key),
    /** What is dropped next when there is no room; undefined where it goes to the file. */
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
   * What was put together of the stored bytes and another end is stored in one piece from now on.
   */
  function makeWhole(entry: T, body: Buffer): void {
    entry.body = body
    if (entry.at === undefined) return
    if (entry.filed) file.leave(entry.filed.place)
    entry.filed = undefined
    entry.at = undefined
    entry.end = undefined
  }

  /** Of what never goes to the file nobody asks how often it was given, so a hit writes nothing. */
  function countsUse(entry: T): boolean {
    if (entry.body !== undefined && !isLarge(entry.body)) return false
    entry.uses += 1
    return true
  }
  /** The body as a buffer in memory, where it is given so often that it is worth one. */
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
