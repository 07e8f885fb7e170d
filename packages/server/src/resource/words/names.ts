/** Converts a name between its spellings in SQL, URLs, GraphQL and sentences. */

/** `orderItem` → `order_item` */
export function snakeOf(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
}

/** `orderItems` → `order-items` */
export function kebabOf(name: string): string {
  return snakeOf(name).replaceAll('_', '-')
}

/** `orderItem` → `OrderItem` */
export function typeNameOf(name: string): string {
  return (name[0] ?? '').toUpperCase() + name.slice(1)
}

/** `orderItem` → `Order item`, `apiKey` → `API key` */
export function labelOf(name: string): string {
  const words = snakeOf(name).replaceAll('_', ' ')
  return typeNameOf(words).replace(/\b(api|url|id)\b/gi, (word) => word.toUpperCase())
}

/** `category` → `categories`, `orderItem` → `orderItems` */
export function pluralOf(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`
  return /(s|x|ch|sh)$/.test(name) ? `${name}es` : `${name}s`
}

/** A label inside a sentence: `Order item` → `order item`; `API key` stays. */
export function inSentence(label: string): string {
  return /^[A-Z]{2}/.test(label) ? label : label.slice(0, 1).toLowerCase() + label.slice(1)
}

/** By its sound: an order and an upload, but a user, a unit, a European, and a one-way ticket. */
function beginsWithVowel(word: string): boolean {
  return /^([ai]|o(?!ne|nce)|e(?!u)|u(?!s[aeiou]|ni|ti|ri|[A-Z]))/i.test(word)
}

/** `EDITOR` → `an EDITOR` */
export function withArticle(word: string): string {
  return `${beginsWithVowel(word) ? 'an' : 'a'} ${word}`
}

function joined(words: readonly string[], last: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}

/** `['a', 'b', 'c']` → `a, b and c` */
export function listOf(words: readonly string[]): string {
  return joined(words, 'and')
}

/** `['a', 'b', 'c']` → `a, b or c` */
export function listAlternatives(words: readonly string[]): string {
  return joined(words, 'or')
}
