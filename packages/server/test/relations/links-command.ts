/** The command line of an application with links: articles with tags, plain and with values. */
import { anyone, defineResource, id, integer, manyToMany, runCommandLine, text } from 'bindery-server'

const list = { style: 'page', sortable: ['id'], defaultSort: 'id' } as const
const access = { read: anyone, write: anyone }

await runCommandLine(async () => [
  defineResource({
    name: 'tag',
    path: '/tags',
    fields: { id: id(), name: text({ required: true, unique: true }) },
    list,
    access,
  }),
  defineResource({
    name: 'article',
    path: '/articles',
    fields: {
      id: id(),
      title: text({ required: true }),
      tags: manyToMany('tag'),
      marks: manyToMany('tag', { ordered: true, fields: { weight: integer({ default: 1 }) } }),
    },
    list,
    access,
  }),
])
