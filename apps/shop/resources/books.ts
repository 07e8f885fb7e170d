/** The book collection, which anyone may read and write. */
import { anyone, type DefaultContext, defineResource, includes, integer, integerId, text } from 'bindery-server'

const currentYear = ({ now }: DefaultContext) => Number(now.slice(0, 4))

export const books = defineResource({
  name: 'book',
  description: 'A book of the open collection, which anyone may read and change.',
  path: '/books',
  atRoot: true,
  fields: {
    id: integerId({ description: 'The number of the book: 1, 2, 3, …' }),
    title: text({ required: true, description: 'The title, as on the cover.', example: 'Emma' }),
    author: text({ required: true, description: 'Who wrote it.', example: 'Jane Austen' }),
    year: integer({
      default: currentYear,
      falsyIsDefault: true,
      description: 'The year of publication; the current one unless said.',
      example: 1815,
    }),
  },
  list: {
    style: 'all',
    sortable: ['id', 'title', 'author', 'year'],
    defaultSort: 'id',
    filters: {
      author: includes('author', {
        description: 'Only books whose author contains this, ignoring case. Not applied when empty.',
        example: 'austen',
      }),
    },
  },
  access: { list: anyone, get: anyone, create: anyone, replace: anyone, update: anyone, delete: anyone },
  messages: { required: 'title and author required', notFound: { delete: 'Not found' } },
})
