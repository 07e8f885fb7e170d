/** Messages between users, newest first. The id is called `_id`, and is the cursor. */
import { anyOf, defineResource, id, owner, reference, role, text, timestamp, user } from 'bindery-server'

const visible = anyOf([owner('senderId'), owner('recipientId'), role('ADMIN')])

export const messages = defineResource({
  name: 'message',
  description: 'A message from one user to another.',
  path: '/messages',
  atRoot: true,
  fields: {
    _id: id({ description: 'The id of the message, which is also the cursor of the list.' }),
    senderId: reference('user', { setBy: 'principal', onDelete: 'clear', description: 'Who sent it.' }),
    recipientId: reference('user', {
      required: true,
      onDelete: 'clear',
      description: 'Whom it is for.',
      // A user that the demo has, so that the example can be sent there as it stands.
      example: '01987c5e-7c1f-7a3b-9d42-3f5a6b7c8d9f',
    }),
    text: text({ required: true, maxLength: 4000, description: 'What it says.', example: 'Your order has left.' }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  list: { style: 'cursor', search: ['text'] },
  access: { list: visible, get: visible, create: user, delete: owner('senderId') },
})
