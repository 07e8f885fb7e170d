/**
 * Whether a file and the log beside it belong together. SQLite replays whatever log it finds: an
 * older file with a newer log, or with another database's, would be destroyed by the first
 * connection. So both are looked at as bytes before anything opens them.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { parseHeader, type WalPosition } from '../log/wal-frames.ts'
import { isMagic, pageBytesOf } from './database-head.ts'
import { isSameBeside, stampOf } from './log-stamp.ts'

/**
 * `unknown`: neither says, as where an earlier version wrote both. Otherwise what is wrong, as the
 * end of a sentence.
 */
export type LogMatch = 'together' | 'unknown' | { readonly why: string }

const walHeadBytes = 32
const frameHeadBytes = 24
/** A server beside may begin the log anew, or bring page 1 into the file, between two looks. */
const looksMax = 8
const pauseMs = 15

function readAt(descriptor: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  return buffer.subarray(0, readSync(descriptor, buffer, 0, bytes, at))
}

/** The copies of page 1 in the log, the oldest first, of this turn of the log alone. */
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
 * A file has page 1 as it was when the log began, or as the log has it: nothing else brings a page
 * into it. The first copy in the log follows from the one that the log was begun on: by a stamp, or
 * by a write that left the stamp alone.
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
  if (head.length < 100 || !isMagic(head)) return 'together' // opening it says why it cannot be
  const bytes = readAt(log, 0, walHeadBytes)
  if (bytes.every((byte) => byte === 0)) return 'together' // nothing was ever on the disk of it
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

/** A log with something in it. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Somebody deleted it: SQLite itself removes the log and its index together. */
export function isLogGone(path: string): boolean {
  return !existsSync(`${path}-wal`) && existsSync(`${path}-shm`)
}

/**
 * This process must not have the file open (`isOpenHere`). Throws what the system says of files
 * that cannot be read.
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
