/**
 * The values that each field type accepts, refuses and shows. Money is stored in minor units; all
 * other types are stored as shown.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  boolean,
  choice,
  derived,
  embedded,
  id,
  integer,
  integerId,
  lookup,
  money,
  password,
  reference,
  text,
  textList,
  timestamp,
  token,
} from '../../src/index.ts'
import type { Field } from '../../src/resource/fields/field.ts'
import { hash } from '../../src/resource/fields/secret.ts'
import { show, stored, table } from './field-tables.ts'

const thousand = '😀'.repeat(1000)
const email = text({ format: 'email' })

describe('text', () => {
  table('check', [
    [text(), '', ''],
    [text(), thousand, thousand], // characters, not UTF-16 units
    [text(), `${thousand}a`, '!x must be at most 1000 characters'],
    [text({ maxLength: 2 }), 'ab', 'ab'],
    [text({ maxLength: 2 }), 'abc', '!x must be at most 2 characters'],
    [text({ maxLength: 1 }), 'e\u0301', '!x must be at most 1 characters'],
    [text(), 'a\0b', '!x must not contain a NUL character'],
    [text(), 'a\ud800', '!x must not contain a lone surrogate'],
    [text(), 5, '!x must be a string'],
    [text(), null, '!x must be a string'],
    [text(), ['a'], '!x must be a string'],
    [email, 'a@b', 'a@b'],
    [email, 'a b@c', '!x must be an email address'],
    [email, 'a@b@c', '!x must be an email address'],
  ])
  table('parse', [[text(), ' 1 ', ' 1 ']])
})

const atLeastZero = money({ min: 0 })

describe('money', () => {
  table('check', [
    [money(), 19.99, 1999],
    [money(), 0.07, 7],
    [money(), 4.35, 435],
    [money(), -19.99, -1999],
    [money(), 999_999_999_999.99, 99_999_999_999_999],
    [money(), 1e12, 1e14],
    [money(), 0.1 + 0.2, '!x must have at most two decimals'],
    [money(), 1.005, '!x must have at most two decimals'],
    [money(), 1e-7, '!x must have at most two decimals'],
    [money(), -0, 0],
    [atLeastZero, -0, 0],
    [atLeastZero, -0.01, '!x must be at least 0'],
    [money({ max: 10 }), 10.01, '!x must be at most 10'],
    [money(), 1e12 + 1, '!x must be at most 1000000000000'],
    [money(), Number.NaN, '!x must be a number'],
    [money(), '1', '!x must be a number'],
  ])
  table('parse', [
    [atLeastZero, '19.99', 1999],
    [atLeastZero, '-0', 0],
    [atLeastZero, '1e3', 100_000],
    [atLeastZero, '.5', 50],
    [atLeastZero, '0.125', 12.5], // a limit between two prices
    [atLeastZero, '1.0100000000000000000001', 101.5], // a double would make 1.01 of it
    [atLeastZero, '1e-999', 0.5],
    [money({ max: 10 }), '5000000000000', 5e14],
    [money(), '-5000000000000', -5e14],
    [money(), '1e300', 2 ** 54],
    [atLeastZero, '-5', -500], // a filter may ask for an impossible price
    [atLeastZero, '', '!x must be a number'],
    [atLeastZero, ' 1', '!x must be a number'],
    [atLeastZero, '0x10', '!x must be a number'],
    [atLeastZero, '1e999', '!x must be a number'],
    [atLeastZero, 'NaN', '!x must be a number'],
  ])
  it('shows what was checked, for every cent up to 10,000.00', () => {
    const { type } = atLeastZero
    for (let minor = 0; minor <= 1_000_000; minor += 1) {
      const shown = type.represent?.(minor, atLeastZero)
      assert.equal(type.check(shown, 'x', atLeastZero), minor)
    }
    assert.equal(type.represent?.(1999, atLeastZero), 19.99)
  })
})

const rating = integer({ min: 1, max: 5 })

describe('integer', () => {
  table('check', [
    [rating, 1, 1],
    [rating, 5, 5],
    [rating, 0, '!x must be from 1 to 5'],
    [rating, 6, '!x must be from 1 to 5'],
    [integer({ min: 0 }), -1, '!x must be at least 0'],
    [integer(), 2 ** 31 - 1, 2 ** 31 - 1],
    [integer(), -(2 ** 31), -(2 ** 31)],
    [integer(), 2 ** 31, '!x must be from -2147483648 to 2147483647'],
    [integer(), -0, 0],
    [integer(), 1.5, '!x must be an integer'],
    [integer(), '1', '!x must be an integer'],
    [integer(), true, '!x must be an integer'],
  ])
  table('parse', [
    [rating, '9', 9], // a filter may ask for a value that is never stored
    [rating, '1e2', 100],
    [rating, '5.0', 5],
    [rating, '1.5', '!x must be an integer'],
    [rating, '1.0000000000000000000001', '!x must be an integer'],
    [rating, '9007199254740991', 9007199254740991],
    [rating, '-99999999999999999999', -(2 ** 54)],
    [rating, '', '!x must be an integer'],
    [rating, 'five', '!x must be an integer'],
  ])
})

const noTimestamp = '!x must be a timestamp such as 2026-01-31T12:00:00Z'

describe('timestamp', () => {
  table('check', [
    [timestamp(), '2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    [timestamp(), '2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
    [timestamp(), '2026-01-31 12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
    [timestamp(), '2026-01-31T23:30:00-01:00', '2026-02-01T00:30:00.000Z'],
    [timestamp(), '2026-01-01T00:00:00+14:00', '2025-12-31T10:00:00.000Z'],
    [timestamp(), '2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123Z'],
    [timestamp(), '2026-01-31', '2026-01-31T00:00:00.000Z'],
    [timestamp(), '2024-02-29', '2024-02-29T00:00:00.000Z'],
    [timestamp(), '2026-02-29', noTimestamp],
    [timestamp(), '2026-02-30T00:00:00Z', noTimestamp],
    [timestamp(), '2026-02-30T00:00:00+12:00', noTimestamp],
    [timestamp(), '2026-04-31T23:00:00-02:00', noTimestamp],
    [timestamp(), '2026-13-01T00:00:00Z', noTimestamp],
    [timestamp(), '2026-01-31T12:00:00', noTimestamp],
    [timestamp(), '2026-01-31T12:00Z', noTimestamp],
    [timestamp(), '2026-01-31T00:00:00+25:00', noTimestamp],
    [timestamp(), '9999-12-31T23:59:59-01:00', noTimestamp], // the year 10000
    [timestamp(), '31 January 2026', noTimestamp],
    [timestamp(), '', noTimestamp],
    [timestamp(), 1769860800, '!x must be a timestamp'],
  ])
  table('parse', [[timestamp(), '2026-01-31', '2026-01-31T00:00:00.000Z']])
})

const tags = textList({ maxLength: 3 })
const items = Array.from({ length: 101 }, () => 'a')

describe('textList', () => {
  table('check', [
    [tags, [], []],
    [tags, ['a', 'abc'], ['a', 'abc']],
    [tags, ['abcd'], '!x must be at most 3 characters'],
    [tags, items.slice(1), items.slice(1)],
    [tags, items, '!x must have at most 100 items'],
    [tags, ['a', 1], '!x must be a list of strings'],
    [tags, 'a', '!x must be a list of strings'],
    [tags, { 0: 'a' }, '!x must be a list of strings'],
  ])
  table('parse', [[tags, 'a,b', 'a,b']])
  it('is empty by default, and null only where that is the default', () => {
    assert.deepEqual([tags.default, tags.nullable], [[], false])
    assert.deepEqual([textList({ default: null }).default, textList({ default: null }).nullable], [null, true])
  })
})

describe('boolean and choice', () => {
  const colour = choice(['RED', 'BLUE'])
  table('check', [
    [boolean(), false, false],
    [boolean(), 'true', '!x must be a boolean'],
    [boolean(), 1, '!x must be a boolean'],
    [colour, 'RED', 'RED'],
    [colour, 'red', '!x must be one of RED, BLUE'],
    [colour, 1, '!x must be a string'],
  ])
  table('parse', [
    [boolean(), 'true', true],
    [boolean(), 'false', false],
    [boolean(), 'TRUE', '!x must be true or false'],
    [boolean(), '', '!x must be true or false'],
    [colour, 'BLUE', 'BLUE'],
    [colour, '', '!x must be one of RED, BLUE'],
  ])
})

const uuid = '01926e0f-7e2b-7c3d-8e4f-0123456789ab'

describe('ids and references', () => {
  table('check', [
    [id(), uuid.toUpperCase(), uuid],
    [id(), 'x', '!x must be an id'],
    [id(), 1, '!x must be a string'],
    [integerId(), 7, 7],
    [integerId(), 1.5, '!x must be an integer'],
    [integerId(), '1', '!x must be an integer'],
    [reference('thing'), uuid.toUpperCase(), uuid],
    [reference('thing'), 1, '!x must be a string'],
  ])
  table('parse', [
    [id(), uuid, uuid],
    [id(), `{${uuid}}`, '!x must be an id'],
    [integerId(), '01', 1],
    [integerId(), '1.0', '!x must be an integer'],
    [integerId(), '-1', -1], // a filter may ask for what is no id
    [integerId(), '-0', 0],
    [integerId(), '9'.repeat(400), 2 ** 54],
    [reference('thing'), uuid.toUpperCase(), uuid],
    [reference('thing'), 'x', '!x must be an id'],
  ])
})

describe('secrets and fields that are not stored', () => {
  table('check', [
    [password(), '12345678', '12345678'],
    [password(), '😀😀', '😀😀'], // bytes, not characters
    [password(), '1234567', '!x must have 8 to 1024 bytes'],
    [password(), 'é'.repeat(513), '!x must have 8 to 1024 bytes'],
    [password(), 'abcdefg\0', '!x must be valid text'],
    [password(), 'abcdefg\ud800', '!x must be valid text'],
    [password(), 12345678, '!x must be a string'],
    [token({ prefix: 'k_' }), 'k_1', '!x is read-only'],
    [hash(), 'abc', '!x is read-only'],
    [embedded('part', 'thingId'), [], '!x is read-only'],
  ])
  it('are hidden, or set by the engine and never compared', () => {
    for (const field of [password(), token({ prefix: 'k_' }), hash()])
      assert.deepEqual([field.hidden, field.type.operators], [true, []])
    const made: readonly Field[] = [
      embedded('part', 'thingId'),
      derived(money(), () => 0),
      lookup(text(), { via: 'thingId', field: 'name' }),
    ]
    for (const { setBy, type } of made) assert.deepEqual([setBy, type.operators], ['engine', []])
  })
})

describe('null', () => {
  const rows: readonly (readonly [string, Field, boolean])[] = [
    ['text()', text(), true],
    ['text({ required })', text({ required: true }), false],
    ['boolean({ default: true })', boolean({ default: true }), false],
    ['choice with a null default', choice(['A'], { default: null }), true],
    ['reference, cleared on delete', reference('thing'), true],
    ['reference, deleted on delete', reference('thing', { onDelete: 'delete' }), false],
    ['timestamp({ setOn: create })', timestamp({ setOn: 'create' }), false],
    ['timestamp({ setOn: move })', timestamp({ setOn: 'transition' }), true],
    ['id()', id(), false],
  ]
  for (const [name, field, nullable] of rows) it(`${name}: ${nullable}`, () => assert.equal(field.nullable, nullable))
})

describe('what may be stored', () => {
  stored([
    [text({ maxLength: 2 }), 'ab'],
    [text({ maxLength: 2 }), 'abc', 'must be at most 2 characters'],
    [text(), 5, 'must be a string'],
    [text(), 'a\0b', 'must not contain a NUL character'],
    [text(), 'a\ud800', 'must not contain a lone surrogate'],
    [email, 'a b@c', 'must be an email address'],
    [money({ min: 0 }), 1999],
    [money({ min: 1 }), 99, 'must be at least 1'],
    [money({ max: 1 }), 101, 'must be at most 1'],
    [money(), 19.99, 'must have at most two decimals'],
    [money(), '1999', 'must be a number'],
    [money(), Number.NaN, 'must have at most two decimals'],
    [money(), 5e14], // a sum may exceed what a caller may send
    [money(), 1e16, 'is too large to be exact'],
    [integer({ min: 1, max: 5 }), 5],
    [integer({ min: 1, max: 5 }), 6, 'must be from 1 to 5'],
    [integer(), 1.5, 'must be an integer'],
    [integer(), 2 ** 31, 'must be from -2147483648 to 2147483647'],
    [boolean(), true],
    [boolean(), 1, 'must be a boolean'],
    [choice(['NEW', 'OLD']), 'OLD'],
    [choice(['NEW', 'OLD']), 'old', 'must be one of NEW, OLD'],
    [timestamp(), '2026-01-31T12:00:00.000Z'],
    [timestamp(), '2026-01-31T12:00:00Z', 'must be a timestamp'],
    [timestamp(), '2026-02-30T12:00:00.000Z', 'must be a timestamp'],
    [timestamp(), '2026-01-31T12:00:00+01:00', 'must be a timestamp'],
    [timestamp(), new Date(0), 'must be a timestamp'],
    [id(), uuid],
    [id(), uuid.toUpperCase(), 'must be an id'],
    [reference('user'), uuid],
    [reference('user'), 'nobody', 'must be an id'],
    [integerId(), 7],
    [integerId(), '7', 'must be an integer'],
    [textList(), ['a', 'b']],
    [textList(), 'a', 'must be a list of strings'],
    [textList({ maxLength: 1 }), ['ab'], 'must be at most 1 characters'],
    [password(), 'scrypt$…'],
    [password(), '', 'must be a hash'],
    [token({ prefix: 'bk_' }), 'hash'],
    [hash(), 5, 'must be a hash'],
    [derived(money(), () => 1), 1.5, 'must have at most two decimals'],
    [embedded('orderItem', 'orderId'), [], 'is read-only'],
  ])
})

describe('what a cursor may bring back', () => {
  const comparable: readonly (readonly [field: Field, value: unknown, is: boolean])[] = [
    [text({ maxLength: 1 }), 'longer than is allowed now', true],
    [text(), 'a\0b', false],
    [text(), 5, false],
    [choice(['NEW']), 'GONE', true],
    [money(), 1999, true],
    [money(), 19.99, false],
    [integer(), 1e300, false],
    [integerId(), '7', false],
    [timestamp(), '2026-01-31T12:00:00.000Z', true],
    [timestamp(), 'yesterday', false],
    [boolean(), 'true', false],
    [textList(), ['a'], false],
    [password(), 'hash', false],
  ]
  for (const [field, value, is] of comparable)
    it(`${field.type.name} ${show(value)}: ${is}`, () => assert.equal(field.type.isComparable(value), is))
})

describe('cells of a spreadsheet', () => {
  const cells: readonly (readonly [field: Field, cell: string, value: unknown])[] = [
    [boolean(), ' TRUE', true],
    [money(), ' 19.99 ', 1999],
    [integer(), '7 ', 7],
    [money(), '5000000000000', 5e14],
    [integerId(), ' 07', 7],
    [timestamp(), ' 2026-01-31 ', '2026-01-31T00:00:00.000Z'],
  ]
  for (const [field, cell, value] of cells)
    it(`${field.type.name} ${show(cell)}`, () => assert.equal(field.type.parseCell?.(cell, 'x', field), value))
  it('are taken as they are for texts', () => assert.equal(text().type.parseCell, undefined))
})
