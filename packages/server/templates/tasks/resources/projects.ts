/** Projects, the groups that tasks belong to. */
import { defineResource, id, text, timestamp } from 'bindery-server'
import { readers, writers } from '../access.ts'

export const projects = defineResource({
  name: 'project',
  description: 'A group of tasks.',
  path: '/projects',
  fields: {
    id: id(),
    name: text({ required: true, maxLength: 100, unique: true }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  list: { style: 'page', sortable: ['name', 'createdAt'], defaultSort: 'name', search: ['name'] },
  access: { list: readers, get: readers, create: writers, update: writers, delete: writers },
  children: { tasks: { resource: 'task', by: 'projectId' } },
})
