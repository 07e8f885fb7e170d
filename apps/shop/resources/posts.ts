/**
 * Posts. Anyone may read published ones; only the author and an ADMIN may read a draft or change a
 * post.
 */
import {
  anyOf,
  boolean,
  defineResource,
  id,
  owner,
  reference,
  role,
  text,
  textList,
  timestamp,
  user,
  where,
} from 'bindery-server'

const readable = anyOf([where({ published: true }), owner('authorId'), role('ADMIN')])
const editable = anyOf([owner('authorId'), role('ADMIN')], {
  message: 'You can only edit your own posts',
  open: true,
})

export const posts = defineResource({
  name: 'post',
  description: 'Something that a user has written. Everybody may read it once it is published.',
  path: '/posts',
  fields: {
    id: id(),
    authorId: reference('user', { setBy: 'principal', onDelete: { deleteWhere: { published: false } } }),
    title: text({ required: true, description: 'The headline.', example: 'New lamps' }),
    body: text({ description: 'The text.', example: 'They are here, in three colours.' }),
    published: boolean({ default: false, description: 'Whether everybody may read it.' }),
    tags: textList({ maxLength: 50, description: 'Words to find it by.', example: ['news'] }),
    createdAt: timestamp({ setOn: 'create' }),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  list: {
    style: 'page',
    sortable: ['id', 'title', 'published', 'createdAt', 'updatedAt'],
    defaultSort: '-createdAt',
    search: ['title', 'body'],
  },
  access: { list: readable, get: readable, create: user, replace: editable, update: editable, delete: editable },
  graphql: {
    query: { publicPosts: { operation: 'list', where: { published: true }, limit: 100, returns: 'list' } },
    mutation: { createPost: { operation: 'create', nonNull: true } },
  },
})
