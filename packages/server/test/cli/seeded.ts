/** An application with two seeds: one for everywhere, with effects, and one of books. */
import { anyone, defineResource, defineSeed, id, reference, text } from '../../src/index.ts'

export const noted: string[] = []
const places = defineResource({
  name: 'place',
  path: '/places',
  fields: { id: id(), code: text({ required: true, unique: true }), name: text({ required: true }) },
  access: { list: anyone },
  list: { style: 'page' },
  effects: { note: { on: ['create'], run: ({ record }) => void noted.push(record.name) } },
})
const books = defineResource({
  name: 'book',
  path: '/books',
  fields: {
    id: id(),
    isbn: text({ required: true, unique: true }),
    title: text({ required: true }),
    placeId: reference('place'),
  },
  access: { list: anyone },
  list: { style: 'page' },
  hooks: {
    beforeCreate({ record, refuse }) {
      if (record.title === 'Broken') refuse('No broken books')
      return undefined
    },
  },
  effects: { note: { on: ['create'], run: ({ record }) => void noted.push(record.title) } },
})
const placesSeed = defineSeed({
  name: 'places',
  everywhere: true,
  effects: true,
  async run({ put }) {
    await put(places, 'code', { code: 'AT', name: 'Wien' })
    await put(places, 'code', { code: 'NL', name: 'Utrecht' })
  },
})
const shelf = defineSeed({
  name: 'shelf',
  async run({ put, records }) {
    const [place] = await records(places).list({ code: 'AT' })
    for (const [isbn, title] of [
      ['1', 'Faust'],
      ['2', 'Kosmos'],
      ['3', process.env.SHELF_TITLE ?? 'Emma'],
    ] as const)
      await put(books, ['isbn'], { isbn, title, placeId: place?.id ?? null })
  },
})

export const seeded = [places, books, placesSeed, shelf]
