/** The book collection, which anyone may read and write. */
import { anyone, type DefaultContext, defineResource, includes, integer, integerId, text } from 'bindery-server'

const currentYear = ({ now }: DefaultContext) => Number(now.slice(0, 4))

export const books = defineResource({
  name: 'book',
  path: '/books',
  atRoot: true,
  fields: {
    id: integerId(),
    title: text({ required: true }),
    author: text({ required: true }),
    year: integer({ default: currentYear, falsyIsDefault: true }),
  },
  list: {
    style: 'all',
    sortable: ['id', 'title', 'author', 'year'],
    defaultSort: 'id',
    filters: { author: includes('author') },
  },
  access: { list: anyone, get: anyone, create: anyone, replace: anyone, update: anyone, delete: anyone },
  messages: { required: 'title and author required', notFound: { delete: 'Not found' } },
})
