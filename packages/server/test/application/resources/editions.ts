/**
 * The library's stock. Anyone reads it, editors maintain it, machines import and export it; only
 * some roles see the purchase price.
 */
import {
  anyone,
  apiKey,
  atLeast,
  atMost,
  boolean,
  defineResource,
  equals,
  id,
  integer,
  isTrue,
  money,
  reference,
  role,
  text,
  timestamp,
} from 'bindery-server'

const editor = role('EDITOR')

export const editions = defineResource({
  name: 'edition',
  path: '/editions',
  fields: {
    id: id(),
    title: text({ required: true }),
    summary: text(),
    subject: text(),
    isbn: text({ unique: true, maxLength: 20 }),
    shelfId: reference('shelf', { onDelete: 'clear' }),
    available: boolean({ default: true }),
    copies: integer({ min: 0 }),
    price: money({ required: true, min: 0 }),
    cost: money({ read: editor }),
    createdAt: timestamp({ setOn: 'create' }),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  onWrite: { available: (edition) => (edition.copies === null ? edition.available : edition.copies > 0) },
  list: {
    style: 'page',
    sortable: ['id', 'title', 'subject', 'copies', 'price', 'createdAt', 'updatedAt'],
    defaultSort: '-createdAt',
    filters: {
      subject: equals('subject'),
      available: isTrue('available'),
      minPrice: atLeast('price'),
      maxPrice: atMost('price'),
    },
    search: ['title', 'summary', 'subject'],
  },
  access: {
    list: anyone,
    get: anyone,
    create: editor,
    replace: editor,
    update: editor,
    delete: editor,
    import: apiKey(editor),
    export: apiKey(editor),
  },
  children: { opinions: { resource: 'opinion', by: 'editionId' } },
  display: {
    label: { en: 'Edition', de: 'Ausgabe' },
    plural: { en: 'Editions', de: 'Ausgaben' },
    labels: { price: { en: 'Price', de: 'Preis' }, opinions: 'What readers say' },
    groups: { Stock: ['copies', 'available'], money: { label: { de: 'Geld' }, fields: ['price', 'cost'] } },
    columns: ['title', 'price', 'cost'],
    title: 'isbn',
    widgets: { summary: 'markdown' },
    menu: 'Library',
  },
})
