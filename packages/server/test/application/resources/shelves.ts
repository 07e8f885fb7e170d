/**
 * Shelves are open to anyone: integer ids, a list that is complete unless a page is asked for, and
 * a second mount at the root.
 */
import { anyone, type DefaultContext, defineResource, includes, integer, integerId, text } from 'bindery-server'

const currentYear = ({ now }: DefaultContext) => Number(now.slice(0, 4))

export const shelves = defineResource({
  name: 'shelf',
  plural: 'shelves',
  path: '/shelves',
  atRoot: true,
  fields: {
    id: integerId(),
    label: text({ required: true }),
    room: text({ required: true }),
    since: integer({ default: currentYear, falsyIsDefault: true }),
  },
  list: {
    style: 'all',
    sortable: ['id', 'label', 'room', 'since'],
    defaultSort: 'id',
    filters: { room: includes('room') },
  },
  access: { list: anyone, get: anyone, create: anyone, replace: anyone, update: anyone, delete: anyone },
  messages: { required: 'label and room required', notFound: { delete: 'No such shelf' } },
})
