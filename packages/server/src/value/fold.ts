/**
 * How texts are compared without case and accents: folded once when they are written, by Unicode's rules, so that every
 * database only ever compares characters and finds the same rows.
 */

/** Without case: `'Straße'` and `'STRASSE'` → `'strasse'`, `'ΣΊΣΥΦΟΣ'` → `'σίσυφοσ'`. Accents stay. Lower first: `'ẞ'` has no other way to `'ss'`. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
}

/** Without case and accents: `'Crème Brûlée'` → `'creme brulee'`. */
export function foldAccents(text: string): string {
  return foldCase(text.normalize('NFKD').replace(/\p{M}+/gu, ''))
}

/** Stands before each letter or digit that begins a word, so that "a word with this prefix" is "this substring". */
export const wordStart = '\u0001'

/**
 * The text that search looks in: folded, each beginning of a word marked. A word begins after anything that is no
 * letter or digit, so `q=fi` finds `wi-fi`; other characters are themselves, so `q=100%` finds only `100%`.
 */
export function markWords(text: string): string {
  return foldAccents(text.replaceAll(wordStart, '')).replace(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu, `${wordStart}$&`)
}

/** The folded, marked words of a `q`: every one of them must be found. `parseSearch('Café 100%')` → two words. */
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
