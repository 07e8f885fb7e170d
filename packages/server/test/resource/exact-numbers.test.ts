/** The values that exact numbers take, and those that they refuse, with the sentence. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bigint } from '../../src/index.ts'
import { averageWhole, parseWhole } from '../../src/resource/fields/numbers/parse-whole.ts'
import { stored, table } from './field-tables.ts'

const plain = bigint()
const small = bigint({ min: -5, max: 5n })
const notWhole = '!x must be a whole number, as text such as "9007199254740993"'
const range = '!x must be from -9223372036854775808 to 9223372036854775807'

describe('bigint', () => {
  table('check', [
    [plain, '9007199254740993', 9007199254740993n],
    [plain, '-9223372036854775808', -9223372036854775808n],
    [plain, '9223372036854775807', 9223372036854775807n],
    [plain, '9223372036854775808', range],
    [plain, `1${'0'.repeat(1000)}`, range],
    [plain, 7, 7n],
    [plain, -0, 0n],
    [plain, 9007199254740991, 9007199254740991n],
    [plain, 9007199254740992, '!x is too large for an exact JSON number; send it as text'],
    [plain, 1.5, notWhole],
    [plain, '1.0', notWhole],
    [plain, '1e3', notWhole],
    [plain, '', notWhole],
    [plain, ' 1', notWhole],
    [plain, '+1', notWhole],
    [plain, '0x10', notWhole],
    [plain, '１', notWhole],
    [plain, '007', '!x must have no zeros in front, and no -0'],
    [plain, '-0', '!x must have no zeros in front, and no -0'],
    [plain, Number.NaN, notWhole],
    [plain, Number.POSITIVE_INFINITY, notWhole],
    [plain, true, notWhole],
    [plain, [], notWhole],
    [small, '6', '!x must be from -5 to 5'],
    [small, -5, -5n],
  ])
  stored([
    [plain, 5n],
    [plain, 5, 'must be a bigint'],
    [plain, '5', 'must be a bigint'],
    [plain, 2n ** 63n, range.slice(3)],
    [small, 6n, 'must be from -5 to 5'],
  ])
  it('names mistakes in its limits', () => {
    const mistake = (min: bigint, max: bigint) => plain.type.limitsMistake?.({ min, max })
    assert.equal(mistake(2n, 1n), 'min (2) is above max (1)')
    assert.equal(mistake(0n, 2n ** 63n), 'max must be a whole number of 64 bits, and is 9223372036854775808')
    assert.equal(mistake(1n, 1n), undefined)
  })
})

describe('parseWhole', () => {
  const rows = [
    ['19.99', 2, 1999n, false],
    ['19.991', 2, 1999n, true],
    ['-19.991', 2, -2000n, true],
    ['1e3', 0, 1000n, false],
    ['-0.0', 0, 0n, false],
    ['.5', 0, 0n, true],
    ['1e300', 0, 10n ** 39n, false],
    ['123456789012345678.90', 1, 1234567890123456789n, false],
  ] as const
  for (const [text, shift, whole, isBetween] of rows)
    it(`${text} × 10^${shift} → ${whole}`, () => assert.deepEqual(parseWhole(text, shift), { whole, isBetween }))
  it('refuses what is no number', () => {
    for (const text of ['', '1,5', 'NaN', 'Infinity', '1e400', '0x1', '--1', '1 2'])
      assert.equal(parseWhole(text, 2), undefined, text)
  })
})

it('an average is rounded half away from zero', () => {
  assert.deepEqual([averageWhole(5n, 2), averageWhole(-5n, 2), averageWhole(4n, 3)], [3n, -3n, 1n])
})
