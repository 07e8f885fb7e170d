/** Stored texts on a terminal: what it would obey or hide is escaped, whichever way a command prints. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { plain, plainJson, plainLines } from '../../src/cli/terminal/output.ts'
import { cellOf } from '../../src/cli/terminal/table.ts'

const hostile = 'a\u001b[2Jb\u009b31mc\u202ed\u200be\u{e0041}\u007f\nf'

describe('a text with control and format characters', () => {
  it('is escaped in a cell', () => {
    assert.equal(cellOf(hostile), 'a\\u{1b}[2Jb\\u{9b}31mc\\u{202e}d\\u{200b}e\\u{e0041}\\u{7f}\\u{a}f')
    assert.equal(cellOf([hostile, 'g']), `${plain(hostile)}, g`)
  })

  it('keeps its lines in a message', () =>
    assert.equal(plainLines(hostile), 'a\\u{1b}[2Jb\\u{9b}31mc\\u{202e}d\\u{200b}e\\u{e0041}\\u{7f}\nf'))

  it('is the same value in JSON, in plain characters', () => {
    const json = plainJson(JSON.stringify({ [hostile]: hostile }))
    assert.doesNotMatch(json, /[\p{Cc}\p{Cf}]/u)
    assert.deepEqual(JSON.parse(json), { [hostile]: hostile })
  })
})
