/**
 * The fast parser of strict JSON, compared with the plain one that it replaced: the same values,
 * and the same errors in the same words.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../../src/errors.ts'
import { parseJson } from '../../src/value/json.ts'
import { shortOr } from '../helpers/long.ts'
import { watchCalls } from '../helpers/watch-calls.ts'
import { parsePlainly } from './plain-walk.ts'

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
  fc.assert(fc.property(value, same), { numRuns: shortOr(1500, 5000) })
  fc.assert(fc.property(number, same), { numRuns: shortOr(1500, 5000) })
  const nested = fc.tuple(fc.nat(40), value).map(([depth, one]) => `${'['.repeat(depth)}${one}${']'.repeat(depth)}`)
  fc.assert(fc.property(nested, same), { numRuns: shortOr(200, 500) })
})

test('a key that occurs twice among few and among many, at any distance', () => {
  const names = fc.array(fc.stringMatching(/^[a-z]{1,2}$/), { maxLength: 40, size: 'max' })
  const object = (all: readonly string[]) => `{${all.map((name) => `"${name}":{"a":1,"b":[{"a":2}]}`).join()}}`
  fc.assert(
    fc.property(names, (all) => same(object(all))),
    { numRuns: shortOr(300, 1000) },
  )
})

test('a negative exponent is no sign of the number', () => {
  for (const text of ['100000000000000000e-17', '1.234567890123456e-3', '-12345678901234e-20'])
    assert.equal(parseJson(text), JSON.parse(text))
})

/** How often the work reads a character of a text, and how often it cuts a piece out of one. */
function countCalls(work: () => unknown): { read: number; cut: number } {
  const calls = { read: 0, cut: 0 }
  const ends = [
    watchCalls(String.prototype, ['charCodeAt'], () => (calls.read += 1)),
    watchCalls(String.prototype, ['slice'], () => (calls.cut += 1)),
    watchCalls(RegExp.prototype, ['exec'], () => (calls.cut += 1)),
  ]
  try {
    work()
  } finally {
    for (const end of ends) end()
  }
  return calls
}

test('a long body is read a few times for each character, and only its keys are cut out', () => {
  const items = 2_000
  const filled = (item: string) => `[${item}${`,${item}`.repeat(items - 1)}]`
  for (const [item, pieces] of [
    ['0.1', 0],
    ['"a"', 0],
    ['"a"       ', 0],
    ['{}', 0],
    ['{"a":1}', 2],
    ['"a\\n"', 2],
  ] as const) {
    const text = filled(item)
    const { read, cut } = countCalls(() => parseJson(text))
    assert.ok(read > 0 && read <= 4 * text.length, `${item}: ${read} reads of ${text.length} characters`)
    assert.ok(cut <= pieces * items, `${item}: ${cut} pieces of ${items} items`)
  }
})
