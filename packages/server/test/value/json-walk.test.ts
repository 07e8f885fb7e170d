/**
 * Strict JSON in one fast walk, compared with the plain walk that it replaced: the same values, and the same refusals in the same words.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../../src/errors.ts'
import { parseJson } from '../../src/value/json.ts'

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

/** The same text for the same decimal number: `decimalOf('1.50')` → `15e-1`, and so for `15e-1` and `0.15E1`. */
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
  const rounded = raw.length > exactDigits && decimalOf(raw) !== decimalOf(String(value))
  if (rounded || (Number.isInteger(value) && !Number.isSafeInteger(value)))
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

/** Checks the string that begins at `start`; it is a key when a colon follows. Returns the index after it and the white space behind it. */
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

/** Walks text that is known to be JSON, and refuses what `JSON.parse` lets through. It does not recurse, so depth costs nothing. */
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

function parsePlainly(text: string): unknown {
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

function outcome(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: parse(text) }
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    return { refused: error.message, code: error.code }
  }
}

const same = (text: string) => assert.deepEqual(outcome(parseJson, text), outcome(parsePlainly, text), text)

const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r ')
const digits = fc.oneof(
  fc.constantFrom('0', '1', '9', '10', '0.0', '9007199254740991', '9007199254740992', '0.1', '4503599627370496.5'),
  fc.stringMatching(/^(0|[1-9]\d{0,20})(\.\d{1,20})?$/),
)
const exponent = fc.oneof(fc.constant(''), fc.constant(''), fc.stringMatching(/^[eE][-+]?\d{1,3}$/))
const number = fc.tuple(fc.constantFrom('', '-'), digits, exponent).map((parts) => parts.join(''))
const unit = fc.constantFrom(
  ...['a', 'b', 'é', '😀', ' ', '0', ':', '{', ',', "'", '\ud83d', '\udc00'],
  ...[
    '\\n',
    '\\"',
    '\\\\',
    '\\/',
    '\\u0041',
    '\\u0000',
    '\\ud83d',
    '\\ude00',
    '\\uD83D\\uDE00',
    '\\u00e9',
    '\\ud7ff',
    '\\ue000',
  ],
)
const string = fc.array(unit, { maxLength: 4 }).map((units) => `"${units.join('')}"`)
const key = fc.oneof(
  string,
  fc.stringMatching(/^[a-p]$/).map((name) => `"${name}"`),
  fc.constantFrom('"__proto__"', '"constructor"', '"prototype"', '"\\u005f_proto__"', '"\\u0061"'),
)
const { value } = fc.letrec<{ value: string }>((tie) => {
  const item = fc.tuple(space, tie('value'), space).map((parts) => parts.join(''))
  const member = fc
    .tuple(space, key, space, item)
    .map(([before, name, after, one]) => `${before}${name}${after}:${one}`)
  return {
    value: fc.oneof(
      { depthIdentifier: 'json' },
      number,
      string,
      fc.constantFrom('true', 'false', 'null', '[]', '{}'),
      fc.array(item, { depthIdentifier: 'json', maxLength: 5 }).map((items) => `[${items.join()}]`),
      fc.array(member, { depthIdentifier: 'json', maxLength: 14, size: 'max' }).map((members) => `{${members.join()}}`),
    ),
  }
})

test('the same value or refusal as by the plain walk', () => {
  fc.assert(fc.property(value, same), { numRuns: 5000 })
  fc.assert(fc.property(number, same), { numRuns: 5000 })
  const nested = fc.tuple(fc.nat(40), value).map(([depth, one]) => `${'['.repeat(depth)}${one}${']'.repeat(depth)}`)
  fc.assert(fc.property(nested, same), { numRuns: 500 })
})

test('a key that occurs twice among few and among many, at any distance', () => {
  const names = fc.array(fc.stringMatching(/^[a-z]{1,2}$/), { maxLength: 40, size: 'max' })
  const object = (all: readonly string[]) => `{${all.map((name) => `"${name}":{"a":1,"b":[{"a":2}]}`).join()}}`
  fc.assert(
    fc.property(names, (all) => same(object(all))),
    { numRuns: 1000 },
  )
})

test('a negative exponent is no sign of the number', () => {
  for (const text of ['100000000000000000e-17', '1.234567890123456e-3', '-12345678901234e-20'])
    assert.equal(parseJson(text), JSON.parse(text))
})

/** The least processor time of many runs, in ms: other work only adds, and not to both alike. */
function cpuMs(work: () => unknown): number {
  const runs = Array.from({ length: 35 }, () => {
    const started = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1000
  })
  return Math.min(...runs)
}

test('a long body takes a fraction of the time that the plain walk took', () => {
  const filled = (item: string) => `[${item}${`,${item}`.repeat(200_000 / (item.length + 1))}]`
  const shapes = ['0.1234567890123456', '0.1', '{"a":1}', '"a"', '"a"       ', '{}']
  const ratios = shapes.map((item) => {
    const text = filled(item)
    const parsing = cpuMs(() => JSON.parse(text))
    return (cpuMs(() => parsePlainly(text)) - parsing) / (cpuMs(() => parseJson(text)) - parsing)
  })
  const middle = ratios.toSorted((a, b) => a - b)[shapes.length >> 1] as number
  assert.ok(middle > 2, `${ratios.map((ratio) => ratio.toFixed(1)).join(' ')} times as fast`)
})
