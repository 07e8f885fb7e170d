/**
 * Types in the words of those who write declarations. What takes more than a word is told by the
 * comment of the member.
 */

/** What the names of fields are called in the engine's types. */
const fieldNames = /\b(?:FieldName|ListedName|TextName|NumberName|StoredName)<\w+>/g
const simple = /^(?:(?:field|operation|string|number|boolean|Rule|null|'[^']*')(?:\[\])*(?: \| )?)+$/
/** The letters of type parameters mean the same in all types. */
const letters: Readonly<Record<string, string>> = { K: 'field', T: 'field', O: 'operation', N: 'string', R: 'boolean' }

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
