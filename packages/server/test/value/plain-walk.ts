/** The plain parser of strict JSON that the fast one of `json.ts` replaced; tests compare both. */
import { ApiError } from '../../src/errors.ts'

const depthMax = 32
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

function refuse(problem: string): never {
  throw new ApiError('bad-request', problem)
}

/** The index after the closing quote of the string that begins at `start` (a quote). */
function stringEnd(text: string, start: number): number {
  let at = start + 1
  while (text.charCodeAt(at) !== 34) at += text.charCodeAt(at) === 92 ? 2 : 1
  return at + 1
}

function checkString(raw: string): string {
  const value = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
  if (value.includes('\0')) refuse('The body must not contain a NUL character')
  if (!value.isWellFormed()) refuse('The body must not contain a lone surrogate')
  return value
}

/** A double gives every decimal number of up to so many digits back unchanged. */
const exactDigits = 15

/**
 * The same text for the same decimal number: `decimalOf('1.50')` → `15e-1`, and so for `15e-1` and
 * `0.15E1`.
 */
function decimalOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace(/^-/, '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = `${whole}${fraction}`
  let [start, end] = [0, digits.length]
  while (digits[start] === '0') start += 1
  while (end > start && digits[end - 1] === '0') end -= 1
  return start === end ? '0' : `${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`
}

function checkNumber(raw: string): void {
  const value = Number(raw)
  if (!Number.isFinite(value)) refuse(`${raw.slice(0, 40)} is too large a number`)
  if (value === 0 && /^-?[0.]*[1-9]/.test(raw)) refuse(`${raw.slice(0, 40)} is too small a number`)
  if (raw.length > exactDigits && decimalOf(raw) !== decimalOf(String(value)))
    refuse(`${raw.slice(0, 40)} is beyond what a JSON number holds exactly`)
}

/** Checks the number that begins at `start`. Returns the index after it. */
function checkNumberAt(text: string, start: number): number {
  const pattern = /[-+.\deE]+/y
  pattern.lastIndex = start
  const raw = pattern.exec(text)?.[0] ?? ''
  checkNumber(raw)
  return start + raw.length
}

/**
 * Checks the string that begins at `start`; it is a key when a colon follows. Returns the index
 * after it and the white space behind it.
 */
function checkText(text: string, start: number, seen: Set<string> | null | undefined): number {
  const end = stringEnd(text, start)
  const value = checkString(text.slice(start, end))
  let at = end
  while (/\s/.test(text[at] ?? 'x')) at += 1
  if (text[at] !== ':') return at
  if (forbiddenKeys.has(value)) refuse(`The key ${value} is not allowed`)
  if (seen?.has(value)) refuse(`The key ${value.slice(0, 100)} occurs twice`)
  seen?.add(value)
  return at
}

/**
 * Walks text that is known to be JSON, and refuses what `JSON.parse` lets through. It does not
 * recurse, so depth costs nothing.
 */
function checkPlainly(text: string): void {
  const keys: (Set<string> | null)[] = []
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    switch (code) {
      case 34: // "
        at = checkText(text, at, keys.at(-1))
        break
      case 123: // {
      case 91: // [
        if (keys.push(code === 123 ? new Set() : null) > depthMax)
          refuse(`The body is nested deeper than ${depthMax} levels`)
        at += 1
        break
      case 125: // }
      case 93: // ]
        keys.pop()
        at += 1
        break
      default:
        at = code === 45 || (code >= 48 && code <= 57) ? checkNumberAt(text, at) : at + 1
    }
  }
}

/** As `parseJson`. */
export function parsePlainly(text: string): unknown {
  if (text.charCodeAt(0) === 0xfeff) refuse('The body must not begin with a byte-order mark')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    refuse('The body is not valid JSON')
  }
  checkPlainly(text)
  return value
}
