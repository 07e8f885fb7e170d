/**
 * Compares texts without case and accents. The server folds each text by Unicode's rules when it is
 * written. Every database then compares plain characters and finds the same rows.
 */
import { toNfc } from './normalize.ts'

/** Most texts: no rule of Unicode but that of case has anything to do in them. */
const isAscii = (text: string) => !/[^\0-\x7f]/.test(text)

/**
 * Without case: `'Straße'` and `'STRASSE'` → `'strasse'`, `'ΣΊΣΥΦΟΣ'` → `'σίσυφοσ'`. Accents stay.
 * It lowers first, because `'ẞ'` becomes `'ss'` no other way.
 */
export function foldCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return toNfc(toNfc(text).toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ'))
}

function isOneCharacter(text: string): boolean {
  return text.length === String.fromCodePoint(text.codePointAt(0) as number).length
}

/**
 * Upper, then lower, so that `'ς'` is `'σ'`; but dotted and dotless i are letters of their own
 * (CaseFolding.txt, status T).
 */
function foldCharacter(character: string): string {
  if (character === 'İ' || character === 'ı') return character
  const upper = character.toUpperCase()
  const lower = (isOneCharacter(upper) ? upper : character).toLowerCase()
  return isOneCharacter(lower) ? lower : character
}

/**
 * Without case, one character for one: simple case folding (Unicode, section 5.18). `'ANN'` →
 * `'ann'`, but `'straße'` and `'strasse'` stay two. It folds names that identify one thing: a
 * caller must not reach another thing by a similar name.
 */
export function foldName(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return toNfc(Array.from(toNfc(text), foldCharacter).join(''))
}

/**
 * Without case and accents: `'Crème Brûlée'` → `'creme brulee'`. Marks go before normalisation as
 * well, which would have to put them in order.
 */
export function foldAccents(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return foldCase(withoutMarks(withoutMarks(text).normalize('NFKD')))
}

function withoutMarks(text: string): string {
  return text.replace(/\p{M}+/gu, '')
}

/**
 * Stands before each letter or digit that begins a word, so that "a word with this prefix" is "this
 * substring".
 */
export const wordStart = '\u0001'

/**
 * The text that search looks in: folded, with a mark at the beginning of each word. A word begins
 * after any character that is not a letter or a digit, so `q=fi` finds `wi-fi`. Other characters
 * stand for themselves, so `q=100%` finds only `100%`.
 */
export function markWords(text: string): string {
  return foldAccents(text.replaceAll(wordStart, '')).replace(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu, `${wordStart}$&`)
}

/**
 * The folded, marked words of a `q`. A record must have all of them. `parseSearch('Café 100%')` →
 * two words.
 */
export function parseSearch(q: string): string[] {
  return [
    ...new Set(
      q
        .split(/\s+/u)
        .filter((word) => word !== '')
        .map(markWords)
        .filter((word) => word !== ''),
    ),
  ]
}
