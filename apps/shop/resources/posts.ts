/** Posts: everybody may read published ones; only the author and an ADMIN may read a draft, or change a post. */
import {
  boolean,
  defineResource,
  either,
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

const readable = either([where({ published: true }), owner('authorId'), role('ADMIN')])
const editable = either([owner('authorId'), role('ADMIN')], {
  otherwise: 'You can only edit your own posts',
  open: true,
})

export const posts = defineResource({
  name: 'post',
  path: '/posts',
  fields: {
    id: id(),
    authorId: reference('user', { setBy: 'principal', onDelete: { deleteWhere: { published: false } } }),
    title: text({ required: true }),
    body: text(),
    published: boolean({ default: false }),
    tags: textList({ maxLength: 50 }),
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
  },
})
