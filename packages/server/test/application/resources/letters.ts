/** Letters between members, newest first. The id is called `_id`, and is the cursor. */
import { anyOf, defineResource, id, owner, reference, role, text, timestamp, user } from 'bindery-server'

const visible = anyOf([owner('senderId'), owner('recipientId'), role('ADMIN')])

export const letters = defineResource({
  name: 'letter',
  path: '/letters',
  atRoot: true,
  fields: {
    _id: id(),
    senderId: reference('member', { setBy: 'principal', onDelete: 'clear' }),
    recipientId: reference('member', { required: true, onDelete: 'clear' }),
    text: text({ required: true, maxLength: 4000 }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  list: { style: 'cursor', search: ['text'] },
  access: { list: visible, get: visible, create: user, delete: owner('senderId') },
})
