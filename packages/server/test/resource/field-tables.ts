/** Tables of the values that a field type takes and refuses, each row a test. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { jsonText } from '../../src/base/json-text.ts'
import { ApiError } from '../../src/errors.ts'
import type { Field } from '../../src/resource/fields/field.ts'

/** Text after `!` is the message of a refusal. */
export type Row = readonly [field: Field, input: unknown, outcome: unknown]

export function outcomeOf(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.code, 'bad-request')
    return `!${error.message}`
  }
}

export function show(input: unknown): string {
  if (Object.is(input, -0)) return '-0'
  const shown = jsonText(input) ?? String(input)
  return shown.length > 50 ? `${shown.slice(0, 50)}… (${shown.length})` : shown
}

export function table(verb: 'check' | 'parse', rows: readonly Row[]): void {
  for (const [field, input, outcome] of rows) {
    it(`${verb} ${field.type.name} ${show(input)} → ${show(outcome)}`, () => {
      const found = outcomeOf(() =>
        verb === 'check' ? field.type.check(input, 'x', field) : field.type.parse(input as string, 'x', field),
      )
      assert.deepStrictEqual(found, outcome)
    })
  }
}

/** Each row has a value that may be stored, or one that is refused with this message. */
export function stored(rows: readonly (readonly [field: Field, value: unknown, refusal?: string])[]): void {
  for (const [field, value, refusal] of rows) {
    it(`stored ${field.type.name} ${show(value)} → ${refusal ?? 'as it is'}`, () => {
      const found = outcomeOf(() => void field.type.checkStored(value, 'x', field))
      assert.equal(found, refusal === undefined ? undefined : `!x ${refusal}`)
    })
  }
}
