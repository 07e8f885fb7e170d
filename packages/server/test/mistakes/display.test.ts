/** Wrong hints for the console: the start refuses each with its file and its member. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { integer, password } from '../../src/index.ts'
import { mistakesOf, thing } from './declaring.ts'

const shown = (display: unknown) => [thing({ fields: { size: integer(), key: password() }, display })]

const rows: readonly (readonly [mistake: string, display: unknown, ...says: readonly string[]])[] = [
  ['a misspelt member', { colums: [] }, 'no member "colums"; did you mean "columns"?'],
  ['a misspelt column', { columns: ['nmae'] }, '.columns: no field "nmae"; did you mean "name"?'],
  ['a column that is never shown', { columns: ['key'] }, '.columns: "key" is never shown'],
  ['a column twice', { columns: ['name', 'name'] }, '.columns: names a field twice'],
  ['no column', { columns: [] }, '.columns: names one field at least'],
  ['a misspelt title', { title: 'nmae' }, '.title: no field "nmae"; did you mean "name"?'],
  ['a title that is never shown', { title: 'key' }, '.title: "key" is never shown'],
  [
    'a misspelt field in a group',
    { groups: { Stock: ['szie'] } },
    '.groups.Stock: no field "szie"; did you mean "size"?',
  ],
  [
    'a field in two groups',
    { groups: { Stock: ['size'], More: { label: 'M', fields: ['size'] } } },
    '.groups.More: "size" is in the group Stock already',
  ],
  ['a group without a label', { groups: { Stock: { fields: ['size'] } } }, '.groups.Stock: needs label'],
  [
    'a misspelt label',
    { labels: { nmae: 'Name' } },
    '.labels: no field, action or children "nmae"; did you mean "name"?',
  ],
  [
    'a label that is no text',
    { labels: { name: 5 } },
    '.labels.name: must be a text, or one for each language, and is 5',
  ],
  ['no language', { label: { German: 'Ding' } }, '.label: "German" is no language such as en or de-AT'],
  ['a table without a language', { label: {} }, '.label: has no language'],
  [
    'a misspelt widget',
    { widgets: { name: 'markdwon' } },
    '.widgets.name: cannot be "markdwon"; did you mean "markdown"?',
  ],
  ['a widget of texts for a number', { widgets: { size: 'markdown' } }, '.widgets: "size" is no text'],
  ['a menu that is true', { menu: true }, '.menu: must be a text, or one for each language, and is true'],
]

describe('a mistake in the hints for the console', () => {
  for (const [mistake, display, ...says] of rows)
    it(mistake, () => {
      const found = says.map((said) => `thing: display${said.startsWith('.') ? '' : ': '}${said}`)
      assert.deepEqual(mistakesOf(shown(display)), found)
    })
})
