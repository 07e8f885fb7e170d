/**
 * Names are compared by simple case folding: as the regular expression `/iu` compares characters
 * (ECMA-262, section 22.2.2.7.3).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldCase, foldName } from '../../src/base/fold.ts'

test('examples', () => {
  const same = [
    'ANN@Example.COM ann@example.com',
    'ΣΊΣΥΦΟΣ Σίσυφος',
    'STRAẞE straße',
    'Cafe\u0301 CAFÉ',
    'ǅ ǆ',
    'K k',
    'ſ S',
  ]
  const others = ['straße strasse', 'ﬁn fin', 'ı i', 'ı I', 'İ i', 'ŉ ʼn', 'café cafe']
  for (const pair of same) assert.equal(...(pair.split(' ').map(foldName) as [string, string]), pair)
  for (const pair of others) assert.notEqual(...(pair.split(' ').map(foldName) as [string, string]), pair)
})

test('every character is folded to one that differs in case alone', () => {
  for (let code = 0; code < 0x1f000; code += 1) {
    const character = String.fromCodePoint(code)
    const folded = foldName(character)
    if (folded === character || character.normalize('NFC') !== character) continue
    assert.match(folded, new RegExp(`^${character}$`, 'iu'), code.toString(16))
    assert.equal(foldName(folded), folded)
    assert.equal(
      foldName(character.toUpperCase().length === character.length ? character.toUpperCase() : character),
      folded,
    )
  }
})

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'aAßẞſΣσςİıIiéÉ\u0301\u0345ŉǰΐ %_-0١ǅﬁᾳᾼΑΙι') }),
)

test('whoever is the same by it is the same by full folding: keys that were told apart stay apart', () => {
  fc.assert(
    fc.property(text, (one) => {
      assert.equal(foldName(foldName(one)), foldName(one))
      assert.equal(foldCase(foldName(one)), foldCase(one))
      assert.equal(foldName(one.normalize('NFD')), foldName(one))
    }),
    { numRuns: 3000 },
  )
})
