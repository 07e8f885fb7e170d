/**
 * The memory of kept answers, which is bounded in bytes. Answers are there as they are sent while there is room for that. Where it is full, what
 * was not asked for lately is packed, so that several times as many have room, and unpacking one costs a small part of making it anew.
 */
import { LRUCache } from 'lru-cache'
import { asBuffer, bodyOf, isPackable, isPacked, type Plain, pack, type StoredBody, sizeOfBody } from './stored-body.ts'

/** What the memory must know of an answer; whoever keeps it has more. */
export type Remembered = {
  /** When it was last given, by `performance.now()`, to a second. */
  usedMs: number
  /** Whether it was given since it was made. */
  isUsed: boolean
  /** Set by the memory alone, from then on. */
  body: StoredBody
  /** Where its end begins, which may be replaced. */
  readonly endsAt: number | undefined
  /** What it takes besides its key and its body. */
  readonly bytes: number
}

export type AnswerMemory<T extends Remembered> = {
  get(key: string): T | undefined
  /** The body of what was got, which counts as given. */
  give(key: string, entry: T): Plain
  /** Whether so many bytes more would drive out nothing that was asked for so lately. */
  hasRoom(bytes: number, lately: { readonly ms: number }): boolean
  keep(key: string, entry: T): void
  delete(key: string): void
  figures(): { readonly bytes: number; readonly answers: number }
}

/** The share of a full memory that is left to answers as they are sent. */
const plainShare = 1 / 8
/** What is asked for again within this time is a buffer, and not packed. */
const oftenMs = 500
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
  /** What can be packed, and what is packed or too small for it. */
  const plain = new LRUCache<string, T>(each)
  const small = new LRUCache<string, T>(each)
  const now = makeNow()

  const bytes = () => plain.calculatedSize + small.calculatedSize

  function packOldest(): void {
    const [key, entry] = plain.rentries().next().value as [string, T]
    plain.delete(key)
    if (isPackable(entry.body)) entry.body = pack(entry.body, entry.endsAt)
    small.set(key, entry)
  }

  function makeWay(): void {
    while (bytes() > bytesMax) {
      if (plain.calculatedSize > plainBytesMin) packOldest()
      else if (small.pop() === undefined) return
    }
  }

  function put(key: string, entry: T): void {
    plain.delete(key)
    small.delete(key)
    const list = isPackable(entry.body) ? plain : small
    list.set(key, entry)
    makeWay()
  }

  return {
    get: (key) => plain.peek(key) ?? small.peek(key),
    give(key, entry) {
      const nowMs = now()
      const unusedMs = nowMs - entry.usedMs
      const isOften = entry.isUsed && unusedMs < oftenMs
      if (unusedMs > frontMs) {
        entry.usedMs = nowMs
        void (plain.get(key) ?? small.get(key))
      }
      entry.isUsed = true
      const body = bodyOf(entry.body)
      if (!isOften || Buffer.isBuffer(body) || !isPackable(body)) return body
      const wasPacked = isPacked(entry.body)
      entry.body = asBuffer(body)
      if (wasPacked) put(key, entry)
      return entry.body
    },
    hasRoom(more, { ms }) {
      if (bytes() + more <= bytesMax || plain.calculatedSize > plainBytesMin * 2) return true
      const { value: oldest } = small.rvalues().next()
      return oldest !== undefined && performance.now() - oldest.usedMs > ms
    },
    keep: put,
    delete(key) {
      plain.delete(key)
      small.delete(key)
    },
    figures: () => ({ bytes: bytes(), answers: plain.size + small.size }),
  }
}
