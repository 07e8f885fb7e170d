/**
 * Articles. Drafts are visible to their author and deleted with the author; published ones are
 * public and stay.
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
const editable = anyOf([owner('authorId'), role('ADMIN')], { message: 'Only its author edits it', open: true })

export const articles = defineResource({
  name: 'article',
  path: '/articles',
  fields: {
    id: id(),
    authorId: reference('member', { setBy: 'principal', onDelete: { deleteWhere: { published: false } } }),
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
    query: { publicArticles: { operation: 'list', where: { published: true }, limit: 100, returns: 'list' } },
    mutation: { createArticle: { operation: 'create', nonNull: true } },
  },
})
