/** Folding in linear time gives the same texts as folding by `String.prototype.normalize` alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldAccents, foldCase } from '../../src/base/fold.ts'
import { toNfc } from '../../src/base/normalize.ts'
import { anyText } from '../helpers/any-text.ts'
import { shortOr } from '../helpers/long.ts'
import { watchCalls } from '../helpers/watch-calls.ts'
import { longRuns, marks } from './long-runs.ts'

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
    anyText(),
    fc.string({ unit: 'binary-ascii' }),
  )
  fc.assert(fc.property(text, check), { numRuns: shortOr(600, 3000) })
})

test('lone surrogates among marks stay', () =>
  check(`a\ud800${'\u0301\u0316'.repeat(20)}\udc00${'\u0316\u0301'.repeat(9)}\ud83d`))

test('a long run of marks is in its order before it is normalised, which would move them one by one', () => {
  for (const [i, run] of longRuns.entries()) {
    for (const fold of [foldCase, foldAccents]) {
      fold(run(40)) // which marks move is found out once
      const seen: string[] = []
      const end = watchCalls(String.prototype, ['normalize'], (self) => seen.push(String(self)))
      fold(run(3_000))
      end()
      for (const text of seen.filter(({ length }) => length > 100)) {
        const apart = [...text].map((one) => one.normalize('NFD')).join('')
        assert.equal(apart, text.normalize('NFD'), `run ${i}: nothing moves`)
      }
    }
  }
})
