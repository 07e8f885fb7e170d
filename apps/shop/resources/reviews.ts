/** What users say about products: each user may review a product once. */
import {
  anyone,
  defineResource,
  either,
  id,
  integer,
  owner,
  reference,
  role,
  text,
  timestamp,
  user,
} from 'bindery-server'

const author = either([owner('userId'), role('ADMIN')])

export const reviews = defineResource({
  name: 'review',
  path: '/reviews',
  fields: {
    id: id(),
    productId: reference('product', { setBy: 'parent', onDelete: 'delete' }),
    userId: reference('user', { setBy: 'principal', onDelete: 'clear' }),
    rating: integer({ required: true, min: 1, max: 5 }),
    title: text(),
    body: text(),
    createdAt: timestamp({ setOn: 'create' }),
  },
  unique: [['productId', 'userId']],
  list: {
    style: 'page',
    sortable: ['id', 'rating', 'createdAt'],
    defaultSort: '-createdAt',
    search: ['title', 'body'],
  },
  access: { list: anyone, get: anyone, create: user, replace: author, update: author, delete: author },
  messages: { conflict: 'You have already reviewed this product' },
})
