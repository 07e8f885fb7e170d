/**
 * Parses JSON bodies strictly. `JSON.parse` accepts input that causes mistakes later: it keeps the
 * last of two equal keys, and takes `__proto__` and halves of surrogate pairs. Numbers become
 * Infinity or lose digits. This file refuses each (RFC 8259, sections 4, 6, 8; RFC 7493).
 */
import { isUtf8 } from 'node:buffer'
import { ApiError } from '../errors.ts'
import { numberEnd, numberFault } from './json-number.ts'

const depthMax = 32
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])
const shortestForbidden = Math.min(...[...forbiddenKeys].map((key) => key.length))

function refuse(problem: string): never {
  throw new ApiError('bad-request', problem)
}

/** Throws for what no text may hold. Returns the value of the string. */
function checkString(raw: string): string {
  const value = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
  if (value.includes('\0')) refuse('The body must not contain a NUL character')
  if (!value.isWellFormed()) refuse('The body must not contain a lone surrogate')
  return value
}

const [quote, backslash, colon, minus, zero, nine] = [34, 92, 58, 45, 48, 57] as const
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93] as const

/** The index of the next quote or backslash. */
function plainEnd(text: string, start: number): number {
  let at = start
  for (; ; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote || code === backslash) return at
  }
}

/** The index of the quote that closes the string with a backslash at `start`. */
function escapedEnd(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) !== quote) at = plainEnd(text, at + 2)
  return at
}

/** An escape that stands for NUL or for half of a surrogate pair. */
const oddEscape = /\\u(?:0000|[dD][89a-fA-F])/

/**
 * The open objects and arrays at one place of the text. They share these lists: a list for each
 * would take most of the time.
 */
type JsonWalk = {
  readonly text: string
  readonly isWellFormed: boolean
  depth: number
  /** The keys of all open objects, from the outermost. Entries from `held` on are stale. */
  readonly keys: string[]
  held: number
  /** By depth: how many keys were held before. */
  readonly begins: number[]
  /** By depth: the keys of an object that has many. */
  readonly sets: (Set<string> | undefined)[]
}

/** More keys than this are looked up in a set. */
const fewKeys = 8

/** Whether the innermost object has the key already. */
function hasKey({ keys, held, begins, sets, depth }: JsonWalk, key: string): boolean {
  const set = sets[depth]
  if (set) {
    const { size } = set
    return set.add(key).size === size
  }
  for (let i = begins[depth] as number; i < held; i += 1) if (keys[i] === key) return true
  return false
}

function addKey(walk: JsonWalk, key: string): void {
  if (hasKey(walk, key)) refuse(`The key ${key.slice(0, 100)} occurs twice`)
  const { keys, sets, depth } = walk
  if (sets[depth]) return
  const begin = walk.begins[depth] as number
  keys[walk.held] = key
  walk.held += 1
  if (walk.held - begin > fewKeys) sets[depth] = new Set(keys.slice(begin, walk.held))
}

function open(walk: JsonWalk): void {
  walk.depth += 1
  if (walk.depth > depthMax) refuse(`The body is nested deeper than ${depthMax} levels`)
  walk.begins[walk.depth] = walk.held
  walk.sets[walk.depth] = undefined
}

function close(walk: JsonWalk): void {
  walk.held = walk.begins[walk.depth] as number
  walk.depth -= 1
}

/**
 * Checks the string that begins at `start`; it is a key when a colon follows. Returns the index
 * after it and the white space behind it.
 */
function checkText(walk: JsonWalk, start: number): number {
  const { text, isWellFormed } = walk
  const plain = plainEnd(text, start + 1)
  const isPlain = text.charCodeAt(plain) === quote
  const end = isPlain ? plain : escapedEnd(text, plain)
  let at = end + 1
  while (text.charCodeAt(at) <= 32) at += 1
  const isKey = text.charCodeAt(at) === colon
  if (!isKey && isPlain && isWellFormed) return at
  const raw = text.slice(start, end + 1)
  if (!isKey && isWellFormed && !oddEscape.test(raw)) return at
  const value = isPlain && isWellFormed ? raw.slice(1, -1) : checkString(raw)
  if (!isKey) return at
  if (value.length >= shortestForbidden && forbiddenKeys.has(value)) refuse(`The key ${value} is not allowed`)
  addKey(walk, value)
  return at
}

/** Returns the index after the number. */
function checkNumberAt(text: string, start: number): number {
  const end = numberEnd(text, start)
  const fault = numberFault(text, start, end)
  if (fault !== undefined) refuse(fault)
  return end
}

/**
 * Walks text that is known to be JSON, and refuses what `JSON.parse` lets through. It does not
 * recurse, so depth costs nothing.
 */
function checkTokens(text: string): void {
  const walk: JsonWalk = {
    text,
    isWellFormed: text.isWellFormed(),
    depth: 0,
    keys: [],
    held: 0,
    begins: [],
    sets: [],
  }
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === quote) at = checkText(walk, at)
    else if (code === minus || (code >= zero && code <= nine)) at = checkNumberAt(text, at)
    else {
      if (code === openBrace || code === openBracket) open(walk)
      else if (code === closeBrace || code === closeBracket) close(walk)
      at += 1
    }
  }
}

/** Throws `bad-request` for bytes that are not UTF-8. */
export function checkUtf8(bytes: Uint8Array): void {
  if (!isUtf8(bytes)) refuse('The body is not UTF-8')
}

/** Bytes → text. Throws `bad-request` for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  checkUtf8(bytes)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/**
 * Text → any JSON value. Throws `bad-request` that says what is wrong. `parseJson('{"a":1}')` → `{
 * a: 1 }`
 */
export function parseJson(text: string): unknown {
  if (text.charCodeAt(0) === 0xfeff) refuse('The body must not begin with a byte-order mark')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ApiError('bad-request', 'The body is not valid JSON', { cause })
  }
  checkTokens(text)
  return value
}
