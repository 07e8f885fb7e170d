/**
 * The memory of kept answers, which is bounded in bytes. Answers are there as they are sent while there is room for that. Where it is full, what
 * was not asked for lately is packed, so that several times as many have room, and unpacking one costs a small part of making it anew.
 */
import { LRUCache } from 'lru-cache'
import { bodyOf, type Plain, pack, type StoredBody, sizeOfBody } from './stored-body.ts'

/** What the memory must know of an answer; whoever keeps it has more. */
export type Remembered = {
  /** When it was last given, by `performance.now()`, to a second. */
  usedMs: number
  /** Whether it was given since it was made. */
  isUsed: boolean
  readonly body: StoredBody
  /** Where its end begins, which may be replaced. */
  readonly endsAt: number | undefined
  /** What it takes besides its key and its body. */
  readonly bytes: number
}

export type AnswerMemory<T extends Remembered> = {
  get(key: string): T | undefined
  /** The body of what was got, which counts as given. */
  give(key: string, entry: T): Plain
  /** Whether so many bytes more would drive out nothing that was asked for within a quarter of a minute. */
  hasRoom(bytes: number): boolean
  /** Keeps what is new as long as there is a place for it. */
  offer(key: string, entry: T): void
  /** Keeps what had its place before. */
  putBack(key: string, entry: T): void
  delete(key: string): void
  figures(): { readonly bytes: number; readonly answers: number }
}

/** The share of a full memory that is left to answers as they are sent. */
const plainShare = 1 / 8
/** What is asked for again within this time is not packed. */
const oftenMs = 500
/**
 * Where memory is full of what is in use, one newcomer in so many takes the place of what was longest unused. If each did, a round of requests
 * that is larger than the memory would never meet its own answers again.
 */
const newcomersForAPlace = 8
/** What nobody asked for in this time gives its place to any newcomer. */
const unusedMsMax = 15_000
/** What was given so lately is not put in front again: that takes as long as to find it. */
const frontMs = 1_000
/** The time of uses need not be more exact. */
const clockMs = 100
const bytesOfCharacter = 2

/** The clock, looked at no more often than it has to be: each look takes 80 ns on a virtual machine. */
function makeNow(): () => number {
  let nowMs: number | undefined
  const forget = () => {
    nowMs = undefined
  }
  return () => {
    if (nowMs === undefined) {
      nowMs = performance.now()
      setTimeout(forget, clockMs).unref()
    }
    return nowMs
  }
}

export function makeAnswerMemory<T extends Remembered>(bytesMax: number): AnswerMemory<T> {
  const sizeCalculation = ({ body, bytes }: T, key: string) => bytes + sizeOfBody(body) + key.length * bytesOfCharacter
  const plainBytesMin = bytesMax * plainShare
  // makeWay bounds both together; neither may drop anything by itself.
  const each = { maxSize: bytesMax * 2, maxEntrySize: bytesMax, sizeCalculation }
  const plain = new LRUCache<string, T>(each)
  const packed = new LRUCache<string, T>(each)
  const now = makeNow()
  let newcomers = 0
  /** Until then what was unused for longest counts as in use: nobody need look again. */
  let usedUntilMs = 0

  const bytes = () => plain.calculatedSize + packed.calculatedSize

  function hasRoom(more: number): boolean {
    if (bytes() + more <= bytesMax || plain.calculatedSize > plainBytesMin * 2) return true
    const nowMs = now()
    if (nowMs < usedUntilMs) return false
    const { value: oldest } = packed.rvalues().next()
    if (oldest === undefined) return false
    usedUntilMs = oldest.usedMs + unusedMsMax
    return nowMs > usedUntilMs
  }

  /** Packs the answer; one that nobody has asked for again is dropped where it would drive out others that are in use. */
  function putAway(key: string, entry: T): void {
    plain.delete(key)
    if (!entry.isUsed && !hasRoom(sizeCalculation(entry, key))) {
      newcomers += 1
      if (newcomers % newcomersForAPlace !== 0) return
    }
    packed.set(key, { ...entry, body: pack(entry.body, entry.endsAt) })
  }

  function makeWay(): void {
    while (bytes() > bytesMax) {
      const oldest = plain.calculatedSize > plainBytesMin ? plain.rentries().next().value : undefined
      if (oldest) putAway(...(oldest as [string, T]))
      else if (packed.pop() === undefined) return
    }
  }

  function put(key: string, entry: T): void {
    packed.delete(key)
    plain.set(key, entry)
    makeWay()
  }

  return {
    get: (key) => plain.peek(key) ?? packed.peek(key),
    give(key, entry) {
      const nowMs = now()
      const unusedMs = nowMs - entry.usedMs
      const isOften = entry.isUsed && unusedMs < oftenMs
      if (unusedMs > frontMs) {
        entry.usedMs = nowMs
        void (plain.get(key) ?? packed.get(key))
      }
      entry.isUsed = true
      const body = bodyOf(entry.body)
      if (isOften && 'packed' in entry.body) put(key, { ...entry, body: { plain: body } })
      return body
    },
    hasRoom,
    offer: put,
    putBack(key, entry) {
      if ('plain' in entry.body) return put(key, entry)
      packed.set(key, entry)
      makeWay()
    },
    delete(key) {
      plain.delete(key)
      packed.delete(key)
    },
    figures: () => ({ bytes: bytes(), answers: plain.size + packed.size }),
  }
}
