/**
 * Comparing texts without case and accents. Texts are folded by Unicode's rules when they are written, so every database only compares
 * characters and finds the same rows.
 */
import { toNfc } from './normalize.ts'

/**
 * Without case: `'Straße'` and `'STRASSE'` → `'strasse'`, `'ΣΊΣΥΦΟΣ'` → `'σίσυφοσ'`. Accents stay. It lowers first, because `'ẞ'` becomes
 * `'ss'` no other way.
 */
export function foldCase(text: string): string {
  return toNfc(toNfc(text).toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ'))
}

/**
 * Without case and accents: `'Crème Brûlée'` → `'creme brulee'`. Marks go before normalisation as well, which would have to put them in
 * order.
 */
export function foldAccents(text: string): string {
  return foldCase(withoutMarks(withoutMarks(text).normalize('NFKD')))
}

function withoutMarks(text: string): string {
  return text.replace(/\p{M}+/gu, '')
}

/** Stands before each letter or digit that begins a word, so that "a word with this prefix" is "this substring". */
export const wordStart = '\u0001'

/**
 * The text that search looks in: folded, with a mark at the beginning of each word. A word begins after any character that is not a letter
 * or a digit, so `q=fi` finds `wi-fi`. Other characters stand for themselves, so `q=100%` finds only `100%`.
 */
export function markWords(text: string): string {
  return foldAccents(text.replaceAll(wordStart, '')).replace(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu, `${wordStart}$&`)
}

/** The folded, marked words of a `q`. A record must have all of them. `parseSearch('Café 100%')` → two words. */
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
