/**
 * Stored texts on a terminal: control and invisible characters are escaped in every command's
 * output.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stripVTControlCharacters, styleText } from 'node:util'
import { printScreen } from '../../src/cli/terminal/top-screen.ts'
import { plain, plainJson, plainLines } from '../../src/command/output.ts'
import { cellOf } from '../../src/command/table.ts'
import type { Status } from '../../src/observe/status.ts'

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

describe('the screen of bindery top', () => {
  const route = { method: 'GET', route: `/${'a'.repeat(30)}`, requests: 1, errors: 0, mean: 1, p95: 1 }
  const status = { version: '1', workers: 1, uptimeSeconds: 5, now: null, routes: [route] } as unknown as Status
  const headingIn = (columns: number) => {
    const before = process.env.FORCE_COLOR
    process.env.FORCE_COLOR = '1'
    try {
      return printScreen(status, { columns })
        .split('\n')
        .find((line) => line.includes('ROUTE'))
    } finally {
      if (before === undefined) delete process.env.FORCE_COLOR
      else process.env.FORCE_COLOR = before
    }
  }

  it('is as wide as its terminal, and no style goes on behind its line', () => {
    const whole = headingIn(56) ?? '' // so narrow that routes are as short as they get
    const shown = stripVTControlCharacters(whole)
    assert.match(shown, /^ROUTE .* 95 %$/)
    assert.equal(whole, styleText('bold', shown, { validateStream: false }))
    assert.equal(headingIn(shown.length), whole, 'styles take no room')
    assert.equal(headingIn(shown.length - 1), shown.slice(0, -1))
  })
})
