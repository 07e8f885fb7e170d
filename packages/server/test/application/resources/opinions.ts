/** Members' opinions of an edition: one for each member, which stays when the member is deleted. */
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

const author = anyOf([owner('memberId'), role('ADMIN')])

export const opinions = defineResource({
  name: 'opinion',
  path: '/opinions',
  fields: {
    id: id(),
    editionId: reference('edition', { setBy: 'parent', onDelete: 'delete' }),
    memberId: reference('member', { setBy: 'principal', onDelete: 'clear' }),
    stars: integer({ required: true, min: 1, max: 5 }),
    headline: text(),
    body: text(),
    createdAt: timestamp({ setOn: 'create' }),
  },
  unique: [['editionId', 'memberId']],
  list: {
    style: 'page',
    sortable: ['id', 'stars', 'createdAt'],
    defaultSort: '-createdAt',
    search: ['headline', 'body'],
  },
  access: { list: anyone, get: anyone, create: user, replace: author, update: author, delete: author },
  messages: { conflict: 'You have an opinion on this edition already' },
})
