/**
 * An unnamed file for cached responses that have no room in memory; it is gone with the process.
 * The operating system's page cache holds the parts that are read often: a page takes 2 µs there.
 * The file is written as a ring. Places that were freed are written first: their pages are in
 * memory already, and the file stays as small as its contents.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readSync, statfsSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Where something was put. All who know of it share it, so that none of them reads what somebody
 * else has put there since.
 */
export type FileSlot = { readonly bytes: number; at: number }

export type CacheFile = {
  /**
   * Where the first `length` bytes were put; undefined where there is no file. `bytes` has room for
   * whole pages of the system's.
   */
  put(bytes: Uint8Array, length: number): FileSlot | undefined
  /** Whether what was put there is still there. */
  has(place: FileSlot): boolean
  /** Reads the first `length` bytes that were put there; false where they are gone. */
  read(place: FileSlot, length: number, to: Uint8Array): boolean
  /** What was put there is gone, and something else may be put there. */
  leave(place: FileSlot): void
  /** Whether anything can be put. */
  works(): boolean
  /** Bytes of the disk that it takes. */
  size(): number
  close(): void
}

type CacheFileOptions = {
  readonly folder: string
  readonly bytesMax: number
  readonly report: (message: string) => void
}

/** Whole pages are written, because the system would have to read the rest of others first. */
const pageBytes = 4_096
/** The file takes no more than this of the room that is left on its disk. */
const shareOfFree = 1 / 20
/** As statfs(2) calls a file system in memory: a file there would save none. */
const tmpfsMagic = 0x01021994

/** Of a place that was left. */
const nowhere = -Infinity

const inPages = (bytes: number) => Math.ceil(bytes / pageBytes) * pageBytes

/** How large the file may be. Throws where it would be of no use. */
function capacityIn(folder: string, bytesMax: number): number {
  const { type, bavail, bsize } = statfsSync(folder)
  if (type === tmpfsMagic) throw new Error('the folder is in memory')
  const bytes = Math.min(bytesMax, bavail * bsize * shareOfFree)
  if (bytes < pageBytes) throw new Error('the disk is full')
  return Math.floor(bytes / pageBytes) * pageBytes
}

function openNameless(folder: string): number {
  const path = join(folder, `kept-answers-${randomUUID()}`)
  const opened = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return opened
}

/**
 * Opened when something is put. Whatever fails, answers are in memory alone from then on, and
 * `report` says why.
 */
export function makeCacheFile({ folder, bytesMax, report }: CacheFileOptions): CacheFile {
  let state: 'unopened' | 'open' | 'closed' = 'unopened'
  let [opened, capacity] = [-1, 0]
  /**
   * All that was ever put behind the rest, with what was left out at the end of each round: places
   * are counted on, round after round.
   */
  let end = 0
  /**
   * Places that were left, by their size; the latest, which the system has in its memory most
   * likely, is the last.
   */
  const left = new Map<number, number[]>()

  function close(): void {
    if (state === 'open') closeSync(opened)
    state = 'closed'
  }

  function fail(error: unknown): undefined {
    report(`Kept answers are in memory alone, because their file in ${folder} failed: ${(error as Error).message}`)
    close()
    return undefined
  }

  function open(): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    capacity = capacityIn(folder, bytesMax)
    opened = openNameless(folder)
    state = 'open'
  }

  const isThere = (at: number) => state === 'open' && at >= end - capacity
  const has = ({ at }: FileSlot) => isThere(at)

  /**
   * One of the places that were left, if the end has not come round to it since. Each put takes one
   * away, so of none there are more than were in use at once.
   */
  function leftOf(bytes: number): number | undefined {
    const at = left.get(bytes)?.pop()
    return at !== undefined && isThere(at) ? at : undefined
  }
  /** The place behind all others, in one piece. */
  function nextOf(bytes: number): number {
    const before = capacity - (end % capacity)
    return bytes > before ? end + before : end
  }

  function readAt(at: number, length: number, to: Uint8Array): boolean {
    try {
      return readSync(opened, to, 0, length, at % capacity) === length
    } catch (error) {
      fail(error)
      return false
    }
  }

  return {
    has,
    close,
    works: () => state !== 'closed',
    size: () => (state === 'open' ? Math.min(end, capacity) : 0),
    put(bytes, length) {
      try {
        if (state === 'unopened') open()
        const whole = inPages(length)
        if (state === 'closed' || whole > capacity) return undefined
        const at = leftOf(whole) ?? nextOf(whole)
        if (writeSync(opened, bytes, 0, whole, at % capacity) < whole) throw new Error('the disk is full')
        end = Math.max(end, at + whole)
        return { bytes: whole, at }
      } catch (error) {
        return fail(error)
      }
    },
    leave(place) {
      const { bytes, at } = place
      place.at = nowhere
      if (!isThere(at)) return
      const others = left.get(bytes)
      if (others) others.push(at)
      else left.set(bytes, [at])
    },
    read: (place, length, to) => has(place) && readAt(place.at, length, to),
  }
}
