/** Tasks of a project: open until they are finished. One that is due can be postponed. */
import { defineAction, defineResource, equals, id, integer, reference, state, text, timestamp } from 'bindery-server'
import { readers, writers } from '../access.ts'

const dayMs = 86_400_000

const fields = {
  id: id(),
  // A project cannot be deleted while it has tasks, which other users may have worked on.
  projectId: reference('project', { required: true, setBy: 'parent', onDelete: 'refuse' }),
  title: text({ required: true, maxLength: 200 }),
  state: state(['OPEN', 'DONE'], {
    default: 'OPEN',
    readOnly: true,
    transitions: { finish: { from: ['OPEN'], to: 'DONE' }, reopen: { from: ['DONE'], to: 'OPEN' } },
  }),
  dueAt: timestamp(),
  createdAt: timestamp({ setOn: 'create' }),
}

/** An action, because no field option computes a new time from the old one. */
const postpone = defineAction(fields, {
  summary: 'Let a task be due some days later.',
  input: { days: integer({ required: true, min: 1, max: 365 }) },
  async run({ record, input, records, refuse }) {
    if (record.dueAt === null) return refuse('A task that is never due cannot be postponed')
    const later = new Date(Date.parse(record.dueAt) + input.days * dayMs)
    await records(tasks).update(record.id, { dueAt: later.toISOString() })
  },
})

export const tasks = defineResource({
  name: 'task',
  description: 'Something to be done in a project: open until it is finished.',
  path: '/tasks',
  fields,
  list: {
    style: 'page',
    sortable: ['dueAt', 'createdAt'],
    defaultSort: '-createdAt',
    filters: { state: equals('state') },
    search: ['title'],
  },
  access: {
    list: readers,
    get: readers,
    create: writers,
    update: writers,
    delete: writers,
    finish: writers,
    reopen: writers,
    postpone: writers,
  },
  actions: { postpone },
})
