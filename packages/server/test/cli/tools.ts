/** The command line of a small application whose records are counted. */
import { anyone, defineResource, integer, integerId, money, reference, runCommandLine, text } from 'bindery-server'

const tools = defineResource({
  name: 'tool',
  path: '/tools',
  fields: {
    id: integerId(),
    name: text(),
    price: money(),
    pieces: integer(),
    partOfId: reference('tool', { onDelete: 'clear' }),
  },
  list: { style: 'page', sortable: ['id'], defaultSort: 'id' },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone },
})

await runCommandLine(async () => [tools])
