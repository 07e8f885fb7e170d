/**
 * Prints types in the words of declarations. A type that needs more than a word is explained by the
 * comment of its member.
 */

/** The engine's type names for names of fields. */
const fieldNames = /\b(?:FieldName|ListedName|TextName|NumberName|StoredName)<\w+>/g
const simple = /^(?:(?:field|operation|record|string|number|boolean|Rule|null|'[^']*')(?:\[\])*(?: \| )?)+$/
/** The letters of type parameters mean the same in all types. */
const letters: Readonly<Record<string, string>> = {
  K: 'field',
  T: 'field',
  J: 'field',
  O: 'operation',
  N: 'string',
  R: 'boolean',
  E: 'record',
}

/** `readonly NoInfer<ListedName<F>>[]` → `field[]`; empty for a type that needs a sentence. */
export function plainType(text: string): string {
  const type = text
    .replace(fieldNames, 'field')
    .replace(/\bNoInfer<(\w+)>/g, '$1')
    .replace(/\bRule<.*>$/, 'Rule')
    .replace(/(?<![\w'])[A-Z](?![\w'])/g, (letter) => letters[letter] ?? letter)
    .replace(/readonly /g, '')
    .replace(/^\((field\[\])\)\[\]$/, '$1[]')
  return simple.test(type) ? type : ''
}
