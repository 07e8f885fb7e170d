/**
 * The memory of kept answers, which is bounded in bytes. Answers are there as they are sent while there is room for that. Where it is full, what
 * was not asked for lately goes to a file, so that several times as many have room, and reading one costs a small part of making it anew.
 */
import { LRUCache } from 'lru-cache'
import type { AnswerFile } from './answer-file.ts'
import {
  asBuffer,
  asText,
  type Filed,
  isLarge,
  type Plain,
  putInto,
  readFrom,
  sizeOfBody,
  withEnd,
} from './stored-body.ts'

/** What the memory must know of an answer; whoever keeps it has more. */
export type Remembered = {
  /** When it was last given, by `performance.now()`, to a second. */
  usedMs: number
  /** Whether it was given since it was made. */
  isUsed: boolean
  /** As it is sent; undefined where it is in the file alone. Both are set by the memory alone, once it has the answer. */
  body: Plain | undefined
  filed: Filed | undefined
  /** Where its end begins, which may be replaced. */
  readonly endsAt: number | undefined
  /** What it takes besides its key and its body. */
  readonly bytes: number
}

/** Where an answer is: in memory, in the file, or in both. */
type Stored = Pick<Remembered, 'body' | 'filed'>

export type AnswerMemory<T extends Remembered> = {
  get(key: string): T | undefined
  /** The body of what was got, which counts as given; undefined where it is gone. */
  give(key: string, entry: T): Plain | undefined
  /** The same, which counts for nothing. */
  bodyOf(stored: Stored): Plain | undefined
  /** Whether so many bytes more would drive out nothing that was asked for so lately. */
  hasRoom(bytes: number, lately: { readonly ms: number }): boolean
  /** A body that is a buffer may be somebody else's, or a part of one. */
  keep(key: string, entry: T): void
  delete(key: string): void
  figures(): { readonly bytes: number; readonly fileBytes: number; readonly answers: number }
}

/** The share of a full memory that is left to answers as they are sent. */
const plainShare = 1 / 8
/** What is asked for again within this time is a buffer, and in memory. */
const oftenMs = 100
/** What was given so lately is not put in front again: that takes as long as to find it. */
const frontMs = 1_000
/** The time of uses need not be more exact. */
const clockMs = 100
const bytesOfCharacter = 2
/** What a place in the file takes in memory. */
const placeBytes = 56

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

function sizeOf({ body, filed, bytes }: Remembered, key: string): number {
  const inFile = filed ? placeBytes + filed.end.length : 0
  return bytes + (body ? sizeOfBody(body) : 0) + inFile + key.length * bytesOfCharacter
}

/** The same answer with another end from `at` on, where it was. */
export function withOtherEnd({ body, filed }: Stored, at: number, end: string): Stored {
  return { body: body && withEnd(body, at, end), filed: filed && { ...filed, end } }
}

/** Whether it is in the file alone now; it is not written again where it is there already. */
function leaveToFile(entry: Remembered, file: AnswerFile): boolean {
  const { body, filed, endsAt } = entry
  if (!body || !isLarge(body)) return false
  entry.filed = filed && file.has(filed.at) ? filed : putInto(file, body, endsAt)
  if (entry.filed) entry.body = undefined
  return entry.filed !== undefined
}

/** All answers, in the order of their uses, and what goes when there are too many. */
function makeOrder<T extends Remembered>(bytesMax: number, file: AnswerFile) {
  const plainBytesMin = bytesMax * plainShare
  // makeWay bounds both together; neither may drop anything by itself.
  const each = { maxSize: bytesMax * 2, maxEntrySize: bytesMax, sizeCalculation: sizeOf }
  /** What is large and in memory, and the others. */
  const plain = new LRUCache<string, T>(each)
  const small = new LRUCache<string, T>(each)

  const bytes = () => plain.calculatedSize + small.calculatedSize

  function fileOldest(): void {
    const [key, entry] = plain.rentries().next().value as [string, T]
    plain.delete(key)
    if (leaveToFile(entry, file)) small.set(key, entry)
  }

  function makeWay(): void {
    while (bytes() > bytesMax) {
      if (plain.calculatedSize > plainBytesMin) fileOldest()
      else if (small.pop() === undefined) return
    }
  }

  return {
    bytes,
    length: () => plain.size + small.size,
    get: (key: string) => plain.peek(key) ?? small.peek(key),
    putInFront(key: string): void {
      void (plain.get(key) ?? small.get(key))
    },
    put(key: string, entry: T): void {
      plain.delete(key)
      small.delete(key)
      const list = entry.body && isLarge(entry.body) ? plain : small
      list.set(key, entry)
      makeWay()
    },
    delete(key: string): void {
      plain.delete(key)
      small.delete(key)
    },
    /** What is dropped next when there is no room; undefined where it goes to the file. */
    nextToGo(): T | undefined {
      if (file.works() && plain.calculatedSize > plainBytesMin * 2) return undefined
      const list = !file.works() && plain.calculatedSize > plainBytesMin ? plain : small
      return list.rvalues().next().value ?? undefined
    },
  }
}

export function makeAnswerMemory<T extends Remembered>(bytesMax: number, file: AnswerFile): AnswerMemory<T> {
  const order = makeOrder<T>(bytesMax, file)
  const now = makeNow()
  const bodyOf = ({ body, filed }: Stored) => body ?? (filed && readFrom(file, filed))
  const hasRoomFor = (bytes: number) => order.bytes() + bytes <= bytesMax

  return {
    get: order.get,
    bodyOf,
    give(key, entry) {
      const body = bodyOf(entry)
      if (!body) return undefined
      const nowMs = now()
      const unusedMs = nowMs - entry.usedMs
      const isOften = entry.isUsed && unusedMs < oftenMs
      if (unusedMs > frontMs) {
        entry.usedMs = nowMs
        order.putInFront(key)
      }
      entry.isUsed = true
      if (!isOften || Buffer.isBuffer(entry.body) || !isLarge(body)) return body
      const wasFiled = entry.body === undefined
      const often = asBuffer(body)
      entry.body = often
      if (wasFiled) order.put(key, entry)
      return often
    },
    hasRoom(more, { ms }) {
      if (hasRoomFor(more)) return true
      const next = order.nextToGo()
      return next === undefined || performance.now() - next.usedMs > ms
    },
    keep(key, entry) {
      const isInFile = !hasRoomFor(sizeOf(entry, key)) && leaveToFile(entry, file)
      if (!isInFile && Buffer.isBuffer(entry.body)) entry.body = asText(entry.body)
      order.put(key, entry)
    },
    delete: order.delete,
    figures: () => ({ bytes: order.bytes(), fileBytes: file.size(), answers: order.length() }),
  }
}
