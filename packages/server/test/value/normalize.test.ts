/** Folding in linear time gives the same texts as folding by `String.prototype.normalize` alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldAccents, foldCase } from '../../src/value/fold.ts'
import { toNfc } from '../../src/value/normalize.ts'

/** The definitions that stored texts were folded by. */
const foldedCase = (text: string) =>
  text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
const foldedAccents = (text: string) => foldedCase(text.normalize('NFKD').replace(/\p{M}+/gu, ''))

function check(text: string): void {
  const shown = [...text].map((one) => one.codePointAt(0)?.toString(16)).join(' ')
  assert.equal(toNfc(text), text.normalize('NFC'), shown)
  assert.equal(foldCase(text), foldedCase(text), shown)
  assert.equal(foldAccents(text), foldedAccents(text), shown)
}

const points = Array.from({ length: 0x11_0000 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff)
const marks = points.map((code) => String.fromCodePoint(code)).filter((one) => /\p{M}/u.test(one))
/** Letters that marks combine with or that come apart into marks, and the ends of the planes. */
const others = [...'aeιωΐΰǖḯệΣςİŉßſﬁ각각เำກຳﾞﾟ゙゚が𝅗𝅥𑂚𑂫 -\0\uffff\u{10000}\u{1efff}\u{10ffff}']

test('every mark, in a long run and beside each of its kind', () => {
  for (const mark of marks) check(`e${'\u0301\u0316'.repeat(5)}${mark}\u0334${mark}\u0345${mark}e`)
  check(marks.join(''))
  check(marks.toReversed().join(''))
})

test('random texts with long runs of marks', () => {
  const mark = fc.oneof(
    fc.constantFrom(...marks),
    fc.constantFrom(...'\u0301\u0316\u0334\u0345\u0344\u0308\u031b\u0903\u09be\u3099'),
  )
  const run = fc.array(mark, { size: 'max', maxLength: 60 }).map((parts) => parts.join(''))
  const piece = fc.oneof(run, fc.constantFrom(...others), fc.string({ unit: 'grapheme', maxLength: 5 }))
  const text = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'binary-ascii' }),
  )
  fc.assert(fc.property(text, check), { numRuns: 3000 })
})

test('lone surrogates among marks stay', () =>
  check(`a\ud800${'\u0301\u0316'.repeat(20)}\udc00${'\u0316\u0301'.repeat(9)}\ud83d`))

test('a long run of marks takes time in proportion', () => {
  const runs: readonly ((marks: number) => string)[] = [
    (count) => '\u0301\u0316'.repeat(count / 2),
    (count) => `${'\u0301'.repeat(count / 2)}${'\u0316'.repeat(count / 2)}`,
    (count) => marks.join('').repeat(count / marks.length + 1),
    (count) => '\u0344\u0316'.repeat(count / 2),
    (count) => '\u0301\u0316\u0903'.repeat(count / 3),
  ]
  for (const [i, run] of runs.entries()) {
    for (const fold of [foldCase, foldAccents]) {
      fold(run(4_000))
      const text = run(100_000)
      const started = process.cpuUsage()
      fold(text)
      const { user, system } = process.cpuUsage(started)
      // Some 30 ms. The quadratic way took 12 s.
      assert.ok((user + system) / 1000 < 600, `run ${i}: ${Math.round((user + system) / 1000)} ms`)
    }
  }
})
