/** Whom keys belong to. They have no path: the first ADMIN is made at the first start, others on the command line. */
import { defineResource, id, password, roleField, text, timestamp } from 'bindery-server'

export const users = defineResource({
  name: 'user',
  description: 'Whom API keys belong to. Nobody logs in.',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'USER' }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  access: {},
})
