/** Tests of mistakes as rows: the declarations, and the sentences that refuse them. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mistakesOf } from './declaring.ts'

export type MistakeRow = readonly [mistake: string, of: readonly unknown[], ...says: readonly string[]]

/** A test for each row, by the part of a declaration that it is about. */
export function testMistakes(kinds: Readonly<Record<string, readonly MistakeRow[]>>): void {
  for (const [of, rows] of Object.entries(kinds)) {
    describe(`a mistake in ${of}`, () => {
      for (const [mistake, list, ...says] of rows) it(mistake, () => assert.deepEqual(mistakesOf(list), says))
    })
  }
}
