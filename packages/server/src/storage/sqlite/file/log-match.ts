/**
 * Checks whether a file and the log beside it belong together. SQLite replays any log that it
 * finds: its first connection would destroy an older file beside a newer or another database's log.
 * So this check reads both as bytes before any connection opens them.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { parseHeader, type WalPosition } from '../log/wal-frames.ts'
import { isMagic, pageBytesOf } from './database-head.ts'
import { isSameBeside, stampOf } from './log-stamp.ts'

/**
 * `unknown`: neither has a stamp, as after an earlier version. Otherwise the fault, as the end of a
 * sentence.
 */
export type LogMatch = 'together' | 'unknown' | { readonly why: string }

const walHeadBytes = 32
const frameHeadBytes = 24
/** Between two reads, another server may restart the log, or copy page 1 into the file. */
const looksMax = 8
const pauseMs = 15

function readAt(descriptor: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  return buffer.subarray(0, readSync(descriptor, buffer, 0, bytes, at))
}

/** The copies of page 1 in the log, the oldest first, since the log last began. */
function* firstPages(log: number, { salts, pageBytes }: WalPosition): Generator<Buffer> {
  const frameBytes = frameHeadBytes + pageBytes
  const { size } = fstatSync(log)
  for (let at = walHeadBytes; at + frameBytes <= size; at += frameBytes) {
    const head = readAt(log, at, frameHeadBytes)
    if (head.toString('hex', 8, 16) !== salts) return
    if (head.readUInt32BE(0) === 1) yield readAt(log, at + frameHeadBytes, pageBytes)
  }
}

function hasFrames(log: number, { salts }: WalPosition): boolean {
  return readAt(log, walHeadBytes, frameHeadBytes).toString('hex', 8, 16) === salts
}

/**
 * The file's page 1 must be as it was when the log began, or as in the log: only a checkpoint
 * changes the file. The first copy in the log shows which page 1 it began with: by a stamp, or by a
 * write that left the stamp unchanged.
 */
function compare(file: number, log: number, place: WalPosition): LogMatch {
  const page = readAt(file, 0, place.pageBytes)
  const stamp = stampOf(page)
  let first: Buffer | undefined
  for (const copy of firstPages(log, place)) {
    if (copy.equals(page)) return stamp.own === 0 ? 'unknown' : 'together'
    first ??= copy
  }
  if (!first) return 'unknown'
  const begun = stampOf(first)
  if (begun.before === stamp.own && isSameBeside(first, page)) return stamp.own === 0 ? 'unknown' : 'together'
  if (begun.own === stamp.own && begun.before === stamp.before) return 'unknown'
  return { why: 'the log was begun on another state of this file, or on another database' }
}

function look(file: number, log: number): LogMatch {
  const head = readAt(file, 0, 100)
  if (head.length < 100 || !isMagic(head)) return 'together' // opening it reports why
  const bytes = readAt(log, 0, walHeadBytes)
  if (bytes.every((byte) => byte === 0)) return 'together' // none of it ever reached the disk
  const place = parseHeader(bytes)
  if (!place) return { why: 'it is no log, or its beginning is damaged' }
  if (place.pageBytes !== pageBytesOf(head)) return { why: 'the log is of a database with pages of another size' }
  if (!hasFrames(log, place)) return 'together'
  return compare(file, log, place)
}

function once(path: string): LogMatch {
  const file = openSync(path, 'r')
  try {
    const log = openSync(`${path}-wal`, 'r')
    try {
      return look(file, log)
    } finally {
      closeSync(log)
    }
  } finally {
    closeSync(file)
  }
}

/** Whether the log has any content. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Whether the log was deleted: SQLite itself removes the log and its index together. */
export function isLogGone(path: string): boolean {
  return !existsSync(`${path}-wal`) && existsSync(`${path}-shm`)
}

/**
 * This process must not have the file open (`isOpenHere`). Throws the system's error for files that
 * cannot be read.
 */
export function logMatchOf(path: string): LogMatch {
  for (let looks = 1; ; looks += 1) {
    if (!existsSync(path) || statSync(path).size === 0 || !hasLog(path)) return isLogGone(path) ? 'unknown' : 'together'
    const found = once(path)
    const isAlone = !existsSync(`${path}-shm`)
    if (typeof found === 'string' || isAlone || looks === looksMax) return found
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
  }
}
