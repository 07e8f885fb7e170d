/** The values that numbers take, which the engine counts, and how people read them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { autoNumber, integer, printNumber } from '../../src/index.ts'
import { stored, table } from './field-tables.ts'

const counted = autoNumber({ prefix: 'R.-' })
const yearly = autoNumber({ prefix: 'INV-', per: 'year', digits: 3 })

describe('autoNumber', () => {
  table('check', [
    [counted, 'R.-0012', 12],
    [yearly, 'inv-2026-1', 2026000000001],
    [yearly, 'INV-2026-123456789', 2026123456789],
    [yearly, 'INV-2026-1234567890', '!x must be a number such as INV-2026-001'],
    [yearly, 'INV-26-1', '!x must be a number such as INV-2026-001'],
    [yearly, ' INV-2026-1', '!x must be a number such as INV-2026-001'],
    [counted, 'R-0012', '!x must be a number such as R.-0001'],
    [counted, 12, '!x must be a string'],
  ])
  stored([
    [counted, 12],
    [yearly, 2026000000012],
    [counted, 0, 'must be a number that the engine has counted'],
    [counted, 2026000000012, 'must be a number that the engine has counted'],
    [yearly, 12, 'must be a number that the engine has counted'],
    [yearly, 2026000000000, 'must be a number that the engine has counted'],
    [yearly, 'INV-2026-001', 'must be a number that the engine has counted'],
  ])
  it('shows each number as its pattern says, and reads it back', () => {
    for (const [field, value, shown] of [
      [counted, 12, 'R.-0012'],
      [counted, 12345, 'R.-12345'],
      [yearly, 2026000000012, 'INV-2026-012'],
    ] as const) {
      assert.equal(printNumber(field, value), shown)
      assert.equal(field.type.check(shown, 'x', field), value)
      assert.match(shown, new RegExp(field.type.schema(field).pattern as string, 'u'))
    }
    assert.throws(() => printNumber(integer(), 1), /takes an autoNumber\(\), and is given integer\(\)/)
  })
})
