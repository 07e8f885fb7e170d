/** The service that `links.ts` measures: articles with tags. */
import { anyone, defineResource, id, manyToMany, runService, text } from 'bindery-server'

const access = { list: anyone, get: anyone, create: anyone, import: anyone }
const tags = defineResource({
  name: 'tag',
  path: '/tags',
  fields: { id: id(), name: text({ required: true, maxLength: 50 }) },
  list: { style: 'page' },
  access,
})
const articles = defineResource({
  name: 'article',
  path: '/articles',
  fields: { id: id(), title: text({ required: true, maxLength: 100 }), tags: manyToMany('tag') },
  list: { style: 'page', sortable: ['title'] },
  access,
})

await runService(async () => [tags, articles])
