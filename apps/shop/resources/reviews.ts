/** Reviews of products by users: each user may review a product once. */
import {
  anyOf,
  anyone,
  defineResource,
  id,
  integer,
  owner,
  reference,
  role,
  text,
  timestamp,
  user,
} from 'bindery-server'

const author = anyOf([owner('userId'), role('ADMIN')])

export const reviews = defineResource({
  name: 'review',
  description: 'What a user says about a product. Each user may review a product once.',
  path: '/reviews',
  fields: {
    id: id(),
    productId: reference('product', { setBy: 'parent', onDelete: 'delete' }),
    userId: reference('user', { setBy: 'principal', onDelete: 'clear' }),
    rating: integer({ required: true, min: 1, max: 5, description: 'From 1, the worst, to 5.', example: 4 }),
    title: text({ description: 'The review in a few words.', example: 'Bright and quiet' }),
    body: text({
      description: 'What there is to say.',
      example: 'It does not hum, and the switch is where it should be.',
    }),
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
