/**
 * Folding and searching (`fold.ts`), compared with a second, simpler implementation of the same
 * rules.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldAccents, foldCase, markWords, parseSearch } from '../../src/base/fold.ts'
import { anyText } from '../helpers/any-text.ts'
import { shortOr } from '../helpers/long.ts'

const examples: readonly (readonly [string, string])[] = [
  ['Straße', 'strasse'],
  ['STRASSE', 'strasse'],
  ['ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
  ['Σίσυφος', 'σίσυφοσ'],
  ['Cafe\u0301', 'café'],
  ['ﬁn', 'fin'],
  ['ǅ', 'ǆ'],
]
test('examples of folding', () => {
  for (const [text, folded] of examples) assert.equal(foldCase(text), folded)
  assert.equal(foldAccents('Crème Brûlée'), 'creme brulee')
  assert.equal(foldAccents('ÅNGSTRÖM'), 'angstrom')
})

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  anyText(),
  fc.string({ unit: fc.constantFrom(...'aAßẞſΣσςİıIiéÉ\u0301\u0345ŉǰΐ %_-0١ǅﬁ\u0001') }),
)

test('folding again changes nothing', () => {
  for (const fold of [foldCase, foldAccents, markWords]) {
    fc.assert(
      fc.property(text, (one) => assert.equal(fold(fold(one)), fold(one))),
      { numRuns: shortOr(600, 2000) },
    )
  }
})

test('case and composition do not matter', () => {
  const check = (one: string) => {
    // The iota subscript becomes a letter in upper case, and moves: it is the only mark whose
    // position depends on case.
    fc.pre(!one.normalize('NFD').includes('\u0345'))
    assert.equal(foldCase(one.toUpperCase()), foldCase(one))
    assert.equal(foldCase(one.normalize('NFD')), foldCase(one))
    assert.equal(foldAccents(one.normalize('NFD')), foldAccents(one))
  }
  fc.assert(fc.property(text, check), { numRuns: shortOr(600, 2000) })
})

/**
 * Whether the word occurs in the text where no letter or digit precedes it: the rule in its
 * simplest form.
 */
function isPrefixOfWord(inText: string, word: string): boolean {
  const points = [...foldAccents(inText.replaceAll('\u0001', ''))]
  const wanted = [...foldAccents(word.replaceAll('\u0001', ''))]
  const isWordPart = (point: string | undefined) => point !== undefined && /[\p{L}\p{N}]/u.test(point)
  return points.some((_, at) => {
    if (!wanted.every((point, i) => points[at + i] === point)) return false
    return !isWordPart(wanted[0]) || !isWordPart(points[at - 1])
  })
}

test('a word of a search is a prefix of a word', () => {
  const letters = fc.constantFrom(...'abAé-_%1 ß')
  const check = (inText: string, word: string) => {
    fc.pre(!/\s/.test(word))
    const [marked = ''] = parseSearch(word)
    assert.equal(markWords(inText).includes(marked), isPrefixOfWord(inText, word), JSON.stringify([inText, word]))
  }
  fc.assert(
    fc.property(
      fc.string({ unit: letters, maxLength: 12 }),
      fc.string({ unit: letters, minLength: 1, maxLength: 4 }),
      check,
    ),
    { numRuns: shortOr(1500, 5000) },
  )
})

test('a text is found by each of its own words', () => {
  const check = (one: string) => {
    for (const word of parseSearch(one)) assert.ok(markWords(one).includes(word), JSON.stringify([one, word]))
  }
  fc.assert(fc.property(text, check), { numRuns: shortOr(600, 2000) })
})

test('words of a search are split at white space, each once', () => {
  assert.equal(parseSearch('').length, 0)
  assert.equal(parseSearch(' \t\n\u00a0\u3000').length, 0)
  assert.equal(parseSearch('Café 100% CAFÉ').length, 2)
})
