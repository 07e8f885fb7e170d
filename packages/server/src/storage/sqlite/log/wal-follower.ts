/**
 * Copies the write-ahead log continuously, and makes the checkpoints. A checkpoint lets SQLite
 * overwrite the log, so it never goes beyond the copied part. The other connections leave
 * checkpoints to the follower (`SqliteSetup.copied`). After a foreign checkpoint the log does not
 * continue; the follower notices that, and begins a new stream.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import type { CopiesState, LogCopyProgress, LogFollower, LogSink } from '../../native-log.ts'
import { openConnection, type SqliteConnection } from '../connection.ts'
import { writeStamp } from '../file/log-stamp.ts'
import type { ServedFile } from '../file/served-file.ts'
import { writeMetadata } from '../write/file-metadata.ts'
import { parseHeader, readFrames, type WalFrames, type WalPosition } from './wal-frames.ts'
import { takeLock } from './wal-lock.ts'

/** From this size on a checkpoint copies the log into the file, as SQLite itself would. */
const logBytesAimed = 16_000_000
const logBytesMax = 1_000_000_000
const readBytesMax = 64_000_000

type FollowerState = CopiesState & {
  readonly place: WalPosition
  /**
   * The last checkpoint copied the log up to this offset into the file: the log may restart after
   * it.
   */
  readonly sealedAt?: number | undefined
  /** The follower stopped as told; the last connection to close may have checkpointed its log. */
  readonly closed?: true
}

function stateFileOf(path: string): string {
  return `${path}-copies.json`
}

/** The stored state of the last follower of this file. */
function readState(path: string): FollowerState | undefined {
  try {
    return JSON.parse(readFileSync(stateFileOf(path), 'utf8')) as FollowerState
  } catch {
    return undefined
  }
}

/** For callers other than the follower. */
export function readCopied(path: string): LogCopyProgress | undefined {
  const state = readState(path)
  return state && { untilMs: state.untilMs, isEnded: state.closed === true }
}

function writeState(path: string, state: FollowerState): void {
  const part = `${stateFileOf(path)}.part`
  writeFileSync(part, JSON.stringify(state), { mode: 0o600 })
  renameSync(part, stateFileOf(path))
}

/**
 * The bytes of the log from an offset on. Only the log may be opened directly: closing the
 * database's own file would release SQLite's locks on it.
 */
async function readLog(path: string, from: number, bytesMax: number): Promise<Buffer> {
  const log = await open(`${path}-wal`, 'r')
  try {
    const { size } = await log.stat()
    const bytes = Buffer.alloc(Math.max(0, Math.min(size - from, bytesMax)))
    const { bytesRead } = await log.read(bytes, 0, bytes.length, from)
    return bytes.subarray(0, bytesRead)
  } finally {
    await log.close()
  }
}

async function headerOf(path: string): Promise<WalPosition | undefined> {
  if (!existsSync(`${path}-wal`)) return undefined
  return parseHeader(await readLog(path, 0, 32))
}

/**
 * Whether a log with this header continues one that ended at the position: SQLite increments the
 * first salt at each restart.
 */
function isNext(header: WalPosition, { place, sealedAt }: FollowerState): boolean {
  const before = Number.parseInt(place.salts.slice(0, 8), 16)
  return sealedAt === place.offset && Number.parseInt(header.salts.slice(0, 8), 16) === (before + 1) >>> 0
}

/** A segment as it is stored: a line with its start, then the frames. */
function segmentOf(place: WalPosition, { bytes }: WalFrames): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(place)}\n`), bytes])
}

type WalFollowerDeps = { readonly file: ServedFile; readonly keeper: LogSink; readonly warn: (text: string) => void }

function makeCopying({ file, keeper, warn }: WalFollowerDeps) {
  const { path } = file
  let state = readState(path)
  let lostWhy: string | undefined

  async function begin(why: string | undefined): Promise<void> {
    const time = new Date().toISOString().replace(/[-:.]/g, '')
    const stream = `${time}-${randomBytes(2).toString('hex')}`
    await writeMetadata({ ...file, copied: true }, 'log copies', stream) // so that there is a log
    const header = await headerOf(path)
    if (!header) return
    if (why) warn(`The copies of the log do not continue: ${why}. A new whole copy is made`)
    await keeper.begin(stream)
    state = { stream, number: 0, untilMs: 0, place: header, sealedAt: undefined }
    lostWhy = undefined
  }

  /** The position to read from, once it is known to continue the copies. */
  async function placeNow(mayBegin: boolean): Promise<WalPosition | undefined> {
    const header = await headerOf(path)
    const before = state
    if (before && header && isNext(header, before)) state = { ...before, place: header, sealedAt: undefined }
    else if (!before || header?.salts !== before.place.salts) {
      if (!mayBegin) throw new Error('the log has begun anew')
      await begin(before && !before.closed ? 'something else has written the log into the file' : lostWhy)
    }
    return state?.place
  }

  /**
   * Copies the new part. `mayBegin`: whether a new stream may begin, for which it writes to the
   * database. `bytesMax`: the size of one read, at least one transaction.
   */
  async function copy(mayBegin: boolean, bytesMax = readBytesMax): Promise<void> {
    const untilMs = Date.now()
    const place = await placeNow(mayBegin)
    if (!place || !state) return
    const { closed: _ended, ...going } = state
    state = going
    const bytes = await readLog(path, place.offset, bytesMax)
    const read = readFrames(bytes, place)
    const isAll = bytes.length < bytesMax || !read.isCut
    // one transaction is larger than that
    if (read.bytes.length === 0 && !isAll) return copy(mayBegin, 2 * bytesMax)
    if (read.bytes.length > 0) {
      const number = state.number + 1
      const segment = { number, untilMs: isAll ? untilMs : state.untilMs, bytes: segmentOf(place, read) }
      await keeper.keep(state.stream, segment)
      state = { ...state, number, place: read.place, untilMs: segment.untilMs }
      if (!isAll) return copy(mayBegin)
    } else state = { ...state, untilMs }
    writeState(path, state)
  }
  return {
    copy,
    state: () => state,
    /**
     * Whether a checkpoint is due. The log's file never shrinks: after a restart, old content still
     * lies behind the end of the log.
     */
    isLong: () => state !== undefined && state.place.offset > logBytesAimed && state.sealedAt !== state.place.offset,
    /** The checkpoint has copied all of the copied log into the file. */
    sealed() {
      if (!state) return
      state = { ...state, sealedAt: state.place.offset }
      writeState(path, state)
    },
    /** The log no longer continues the copies. */
    forget(why: string) {
      state = undefined
      lostWhy = why
      rmSync(stateFileOf(path), { force: true })
    },
    end() {
      if (state) writeState(path, { ...state, closed: true })
    },
  }
}

type Checkpoint = { readonly frames: number; readonly done: number }

/** `NOOP` only reads the state. */
function checkpoint({ database }: SqliteConnection, mode: 'PASSIVE' | 'NOOP' = 'PASSIVE'): Checkpoint {
  const row = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as { log: number; checkpointed: number }
  return { frames: row.log, done: row.checkpointed }
}

/** The bytes of the log that are not yet in the file. */
function waitingBytes(connection: SqliteConnection): number {
  const { frames, done } = checkpoint(connection, 'NOOP')
  const { page_size: pageBytes } = connection.database.prepare('PRAGMA page_size').get() as { page_size: number }
  return (frames - done) * pageBytes
}

type FollowOptions = {
  readonly warn: (text: string) => void
  /**
   * Above this size a checkpoint runs even where the log could not be copied: the disk must not
   * fill up.
   */
  readonly bytesMax?: number
}

/** Throws when the log cannot be followed now; call `look` again later. */
export async function followLog(
  file: ServedFile,
  keeper: LogSink,
  { warn, bytesMax = logBytesMax }: FollowOptions,
): Promise<LogFollower> {
  const { path, joined } = file
  let lock: DatabaseSync | undefined
  let connections: { readonly first: SqliteConnection; readonly second: SqliteConnection } | undefined
  let copying: ReturnType<typeof makeCopying> | undefined

  /**
   * Checkpoints the copied part: an open read keeps the checkpoint from going further. It moves
   * most of the log into the file, and blocks no writer.
   */
  async function bringMost(first: SqliteConnection, second: SqliteConnection): Promise<void> {
    first.database.exec('BEGIN')
    try {
      first.database.prepare('SELECT 1 FROM sqlite_schema').get()
      await copying?.copy(false)
      checkpoint(second)
    } finally {
      first.database.exec('COMMIT')
    }
  }
  /**
   * Checkpoints the rest while writers wait, which takes a few milliseconds: then the log may
   * restart.
   */
  async function bringRest(first: SqliteConnection, second: SqliteConnection): Promise<void> {
    first.database.exec('BEGIN IMMEDIATE')
    try {
      await copying?.copy(false)
      const { frames, done } = checkpoint(second)
      if (frames === done) copying?.sealed()
    } finally {
      first.database.exec('ROLLBACK')
    }
  }

  function openBoth() {
    lock ??= takeLock(path)
    if (!lock) return undefined
    const options = { readOnly: false, checkpoints: false, joined }
    connections ??= { first: openConnection(path, options), second: openConnection(path, options) }
    copying ??= makeCopying({ file, keeper, warn })
    return { ...connections, copying }
  }

  return {
    async look() {
      const opened = openBoth()
      if (!opened) return undefined
      const { first, second } = opened
      try {
        await opened.copying.copy(true)
        if (opened.copying.isLong()) {
          writeStamp(first.database) // the stamp reveals a file that lacks a part of this log
          await bringMost(first, second)
          await bringRest(first, second)
        }
      } catch (error) {
        if (waitingBytes(second) > bytesMax) {
          checkpoint(second)
          opened.copying.forget('what could not be copied had grown too large')
        }
        throw error
      }
      return opened.copying.state()
    },
    async skip(why) {
      const opened = openBoth()
      if (!opened) return
      if (waitingBytes(opened.second) > logBytesAimed) checkpoint(opened.second)
      opened.copying.forget(why)
    },
    close() {
      copying?.end()
      connections?.first.database.close()
      connections?.second.database.close()
      lock?.close()
    },
  }
}
