/**
 * An unnamed temporary file for cached responses that do not fit in memory; it ends with the
 * process. The operating system's page cache holds the parts that are read often: a page takes 2 µs
 * there. The file is a ring, but freed slots are reused first. Their pages are in memory already,
 * and the file stays as small as its contents.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readSync, statfsSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A slot of the file. All users of a slot share this object, so none of them reads bytes that were
 * written there later.
 */
export type FileSlot = { readonly bytes: number; at: number }

export type CacheFile = {
  /**
   * Writes the first `length` bytes and returns their slot; undefined where there is no file.
   * `bytes` has room for whole pages of the system.
   */
  put(bytes: Uint8Array, length: number): FileSlot | undefined
  /** Whether the slot still has the bytes that were put there. */
  has(place: FileSlot): boolean
  /** Reads the first `length` bytes of the slot; false where they were overwritten. */
  read(place: FileSlot, length: number, to: Uint8Array): boolean
  /** Frees the slot for other bytes. */
  leave(place: FileSlot): void
  /** Whether the file can take bytes. */
  works(): boolean
  /** Bytes of the disk that the file takes. */
  size(): number
  close(): void
}

type CacheFileOptions = {
  readonly folder: string
  readonly bytesMax: number
  readonly report: (message: string) => void
}

/**
 * Whole pages are written, because the system would have to read the rest of a partial page first.
 */
const pageBytes = 4_096
/** The largest share of the free disk space that the file takes. */
const shareOfFree = 1 / 20
/** The type of an in-memory file system in statfs(2): a file there would save no memory. */
const tmpfsMagic = 0x01021994

/** The position of a freed slot. */
const nowhere = -Infinity

const inPages = (bytes: number) => Math.ceil(bytes / pageBytes) * pageBytes

/** The largest size of the file. Throws where the file would be of no use. */
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
 * The file is opened at the first write. After an error, responses are kept in memory alone, and
 * `report` gets the reason.
 */
export function makeCacheFile({ folder, bytesMax, report }: CacheFileOptions): CacheFile {
  let state: 'unopened' | 'open' | 'closed' = 'unopened'
  let [opened, capacity] = [-1, 0]
  /**
   * The position after the last slot, counted on through all rounds of the ring. It includes the
   * bytes that were skipped at the end of each round.
   */
  let end = 0
  /** Freed slots by size. The latest, most likely still in the page cache, is the last. */
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
   * A freed slot that the ring has not overwritten since. Each write takes one, so there are never
   * more than were once in use.
   */
  function leftOf(bytes: number): number | undefined {
    const at = left.get(bytes)?.pop()
    return at !== undefined && isThere(at) ? at : undefined
  }
  /** The next slot at the end of the ring, in one piece. */
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
