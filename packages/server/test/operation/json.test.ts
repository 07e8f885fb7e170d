/** Strict JSON: ordinary values parse as with `JSON.parse`, everything else is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../../src/errors.ts'
import { decodeUtf8, parseJson } from '../../src/value/json.ts'
import { anyText } from '../helpers/any-text.ts'
import { shortOr } from '../helpers/long.ts'

const refused = (message?: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.code === 'bad-request' && (message === undefined || message.test(error.message))

const bad: readonly (readonly [string, RegExp])[] = [
  ['', /not valid JSON/],
  ['{', /not valid JSON/],
  ["{'a':1}", /not valid JSON/],
  ['{"a":1,}', /not valid JSON/],
  ['[1] 2', /not valid JSON/],
  ['NaN', /not valid JSON/],
  ['01', /not valid JSON/],
  ['\ufeff{}', /byte-order mark/],
  ['{"a":1,"a":2}', /key a occurs twice/],
  ['{"a":1,"\\u0061":2}', /key a occurs twice/],
  ['{"x":[{"a":1,"b":{"a":1},"a":2}]}', /key a occurs twice/],
  ['{"a" : 1, "a"\n: 2}', /key a occurs twice/],
  ['{"__proto__":1}', /__proto__/],
  ['{"\\u005f_proto__":1}', /__proto__/],
  ['[{"constructor":{}}]', /constructor/],
  ['{"a":{"prototype":1}}', /prototype/],
  ['1e400', /too large/],
  ['[-1e400]', /too large/],
  ['1e-400', /too small/],
  ['-9007199254740993', /exactly/],
  ['100000000000000000001', /exactly/],
  ['1.0000000000000001', /1\.0000000000000001 is beyond what a JSON number holds exactly/],
  ['19.990000000000000001', /exactly/],
  ['[1.00000000000000000001]', /exactly/],
  ['-0.10000000000000001', /exactly/],
  ['10000000000000000001e-18', /exactly/],
  [`1.${'0'.repeat(500_000)}1`, /exactly/],
  ['"\\u0000"', /NUL/],
  ['{"\\u0000":1}', /NUL/],
  ['"\\ud800"', /surrogate/],
  ['"\\udc00\\ud800"', /surrogate/],
  ['"\ud800"', /surrogate/],
  ['{"\\ud800":1}', /surrogate/],
  [`${'['.repeat(33)}${']'.repeat(33)}`, /deeper/],
  [`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, /deeper/],
]
test('what is refused', () => {
  for (const [text, message] of bad) assert.throws(() => parseJson(text), refused(message), JSON.stringify(text))
})

test('what is taken', () => {
  const good = [
    'null',
    ' [] ',
    '9007199254740991',
    '-0',
    '0.1',
    '1e5',
    '1.10',
    '100.00',
    '1E+2',
    '100.00000000000000000000',
    '0.00000000000000000000',
    '0.30000000000000004',
    '9007199254740992', // the field types refuse it, except for fractions
    '1e20',
    '5e-324',
    '1.7976931348623157e308',
    '100000000000000000000',
    '1.7976931348623157e-300',
    '900719925474099.1e1',
    '"\\ud83d\\ude00"',
    '{"a":{"a":[{"a":1}]},"b":"a"}',
    '["a","a"]',
    '"__proto__"',
    `${'['.repeat(32)}${']'.repeat(32)}`,
  ]
  for (const text of good) assert.deepEqual(parseJson(text), JSON.parse(text), text)
})

const key = fc
  .string({ unit: 'grapheme' })
  .filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name) && !name.includes('\0'))
const leaf = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ min: -1, max: 1, noNaN: true }),
)
const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

test('plain values are what JSON.parse says, however they are written', () => {
  const check = (value: unknown, indent: number) => {
    const text = JSON.stringify(value, null, indent)
    const escaped = text.replace(
      /[\u0080-\uffff]/g,
      (point) => `\\u${point.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    assert.deepEqual(parseJson(text), JSON.parse(text))
    assert.deepEqual(parseJson(escaped), JSON.parse(text))
  }
  fc.assert(fc.property(plain, fc.nat(2), check), { numRuns: shortOr(300, 1000) })
})

test('any text gives an ApiError or a value', () => {
  const pieces = fc.constantFrom(
    ...'{}[]",:\\ \n\ud83d\0aeE+-.019',
    '"a"',
    '"\\u',
    '1e9',
    'null',
    '\\"',
    '"__proto__"',
    ':',
  )
  const text = fc.oneof(
    anyText(),
    fc.json(),
    fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join('')),
  )
  const check = (one: string) => {
    try {
      const value = parseJson(one)
      assert.deepEqual(value, JSON.parse(one))
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error))
    }
  }
  fc.assert(fc.property(text, check), { numRuns: shortOr(1500, 5000) })
})

test('bytes that are not UTF-8 are refused', () => {
  const bytes = fc.uint8Array({ maxLength: 8 })
  const check = (one: Uint8Array) => {
    const text = Buffer.from(one).toString('utf8')
    if (Buffer.from(text).equals(Buffer.from(one))) assert.equal(decodeUtf8(one), text)
    else assert.throws(() => decodeUtf8(one), refused(/UTF-8/))
  }
  fc.assert(fc.property(bytes, check), { numRuns: shortOr(300, 1000) })
})
