/** The values that exact numbers take, and those that they refuse, with the sentence. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bigint, decimal, float, integer, integerId, json, list, money } from '../../src/index.ts'
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

const price = decimal({ precision: 10, scale: 2 })
const whole = decimal({ precision: 18, scale: 0 })
const share = decimal({ precision: 6, scale: 6, min: '0.000000' })
const shown = decimal({ precision: 8, scale: 3, json: 'number', max: 99.5 })
const noDecimal = '!x must be a decimal number, as text such as "12.50"'
const priceRange = '!x must be from -99999999.99 to 99999999.99'
const zeros = '!x must have no zeros in front, and no -0'

describe('decimal', () => {
  table('check', [
    [price, '12.50', 1250n],
    [price, '12.5', 1250n],
    [price, '-12', -1200n],
    [price, '0', 0n],
    [price, 12.5, 1250n],
    [price, 1e-2, 1n],
    [price, -0, 0n],
    [price, 0.1, 10n],
    [price, '99999999.99', 9999999999n],
    [price, '100000000', priceRange],
    [price, 1e20, priceRange],
    [price, `1${'0'.repeat(1000)}`, priceRange],
    [price, '12.505', '!x must have at most 2 decimals'],
    [price, '12.500', '!x must have at most 2 decimals'],
    [price, 0.001, '!x must have at most 2 decimals'],
    [price, 0.1 + 0.2, '!x must have at most 2 decimals'],
    [price, 1e-7, '!x must have at most 2 decimals'],
    [price, '1e400', noDecimal],
    [price, '1e3', noDecimal],
    [price, 'NaN', noDecimal],
    [price, Number.NaN, noDecimal],
    [price, Number.POSITIVE_INFINITY, noDecimal],
    [price, '+1', noDecimal],
    [price, ' 1', noDecimal],
    [price, '1 ', noDecimal],
    [price, '', noDecimal],
    [price, '.5', noDecimal],
    [price, '5.', noDecimal],
    [price, '1,5', noDecimal],
    [price, '１', noDecimal],
    [price, true, noDecimal],
    [price, [], noDecimal],
    [price, '012', zeros],
    [price, '-0.00', zeros],
    [whole, '123456789012345678', 123456789012345678n],
    [whole, '1.0', '!x must have no decimals'],
    [whole, 'x', '!x must be a decimal number, as text such as "1250"'],
    [share, '0.999999', 999999n],
    [share, '1', '!x must be from 0.000000 to 0.999999'],
    [share, '-0.1', '!x must be from 0.000000 to 0.999999'],
    [shown, 99.5, 99500n],
    [shown, '99.501', '!x must be from -99999.999 to 99.500'],
    [decimal({ precision: 3, scale: 1 }), '1.25', '!x must have at most 1 decimal'],
  ])
  stored([
    [price, 5n],
    [price, 5, 'must be a bigint'],
    [price, '5', 'must be a bigint'],
    [price, 10n ** 10n, priceRange.slice(3)],
    [shown, 99501n, 'must be from -99999.999 to 99.500'],
  ])
  it('shows text or a number, and constants in that form', () => {
    const show = (field: typeof price, value: bigint) => field.type.represent?.(value, field)
    assert.deepEqual(
      [show(price, -5n), show(price, 0n), show(whole, 7n), show(share, 1n)],
      ['-0.05', '0.00', '7', '0.000001'],
    )
    assert.deepEqual([show(shown, 99500n), show(shown, -1n)], [99.5, -0.001])
    const { default: given, example } = decimal({ precision: 5, scale: 2, default: 1n, example: 2.5 })
    assert.deepEqual([given, example], ['0.01', '2.50'])
    assert.equal(decimal({ precision: 5, scale: 2, json: 'number', default: '0.10' }).default, 0.1)
    const early = decimal({ precision: 5, scale: 2, convert: (text) => text.replace(',', '.'), backfill: () => 1.5 })
    assert.deepEqual([early.convert?.('9,99', {}), (early.backfill as () => unknown)()], [999n, 150n])
    assert.deepEqual([price.type.example?.(price), share.type.example?.(share)], ['12.50', '0.125000'])
  })
  it('names mistakes in its limits', () => {
    const mistakes = (options: object) => {
      const field = decimal(options as never)
      return [
        ...field.mistakes.map(({ path, problem }) => `${path} ${problem}`.trim()),
        field.type.limitsMistake?.(field.limits),
      ]
    }
    const sized = { precision: 5, scale: 2 }
    assert.deepEqual(mistakes({}), ['needs precision', 'needs scale', undefined])
    assert.deepEqual(mistakes({ precision: 2, scale: 3 }), ['scale (3) is above precision (2)'])
    assert.deepEqual(mistakes({ precision: 19, scale: 2 }), [
      'precision must be a whole number from 1 to 18, and is 19',
      undefined,
    ])
    assert.deepEqual(mistakes({ ...sized, min: '0.001' }), ['min must have at most 2 decimals', undefined])
    assert.deepEqual(mistakes({ ...sized, max: 1000 }), ['max is beyond a precision of 5'])
    assert.deepEqual(mistakes({ ...sized, min: 2, max: '1.00' }), ['min (2.00) is above max (1.00)'])
    assert.deepEqual(mistakes({ precision: 16, scale: 2, json: 'number' }), [
      "json: 'number' is exact up to a precision of 15, and precision is 16",
    ])
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

const heat = float({ min: -2.5, max: 1e300 })
const anyFloat = float()
describe('float', () => {
  table('check', [
    [anyFloat, 0.1 + 0.2, 0.30000000000000004],
    [anyFloat, -0, 0],
    [anyFloat, 5e-324, 5e-324],
    [anyFloat, -Number.MAX_VALUE, -Number.MAX_VALUE],
    [anyFloat, Number.NaN, '!x must be a finite number'],
    [anyFloat, -Infinity, '!x must be a finite number'],
    [anyFloat, '1.5', '!x must be a number'],
    [anyFloat, 1n, '!x must be a number'],
    [anyFloat, true, '!x must be a number'],
    [anyFloat, {}, '!x must be a number'],
    [heat, -2.500000000000001, '!x must be at least -2.5'],
    [heat, 1.0000000000000002e300, '!x must be at most 1e+300'],
  ])
  table('parse', [
    [anyFloat, '1.5e-7', 1.5e-7],
    [anyFloat, '-0.0', 0],
    [anyFloat, '.5', 0.5],
    [anyFloat, '+1.', 1],
    [anyFloat, '9007199254740993', 2 ** 53],
    [anyFloat, '1e400', '!x must be a finite number'],
    [anyFloat, 'Infinity', '!x must be a number'],
    [anyFloat, '0x10', '!x must be a number'],
    [anyFloat, '1,5', '!x must be a number'],
    [anyFloat, ' 1', '!x must be a number'],
    [anyFloat, '', '!x must be a number'],
  ])
  stored([
    [anyFloat, 0.1],
    [anyFloat, Number.POSITIVE_INFINITY, 'must be a finite number'],
    [anyFloat, '1', 'must be a number'],
  ])

  it('constants of the text of a table have few digits, and limits an order', () => {
    const mistakes = (options: object) => float(options).mistakes.map(({ path }) => path)
    assert.deepEqual(mistakes({ default: 0.1, backfill: -123456789.125 }), [])
    assert.deepEqual(mistakes({ default: 0.1 + 0.2, backfill: 1e-300 }), ['default', 'backfill'])
    assert.deepEqual(mistakes({ default: () => 0.1 + 0.2 }), [])
    assert.equal(anyFloat.type.limitsMistake?.({ min: 2, max: 1 }), 'min (2) is above max (1)')
  })
})

describe('a whole number that a JSON number may have rounded', () => {
  table(
    'check',
    [2 ** 53, -1e20].flatMap((value) => [
      [integer({ min: 0 }), value, value < 0 ? '!x must be at least 0' : '!x must be from 0 to 2147483647'] as const,
      [plain, value, '!x is too large for an exact JSON number; send it as text'] as const,
      [money(), value, `!x must be at ${value < 0 ? 'least -' : 'most '}1000000000000`] as const,
      [json(), value, '!x must be a number that JSON holds exactly'] as const,
      [list(bigint()), [value], '!x[0] is too large for an exact JSON number; send it as text'] as const,
    ]),
  )
  table('check', [
    [whole, 2 ** 53, '!x is too large for an exact JSON number; send it as text'],
    [price, 2 ** 53 / 100, '!x must be from -99999999.99 to 99999999.99'],
    [integerId(), 2 ** 53, '!x must be an integer'],
  ])
})
