/** The service that `files.ts` measures: boxes with a file. */
import { anyone, defineResource, file, id, runService } from 'bindery-server'

const boxes = defineResource({
  name: 'box',
  plural: 'boxes',
  path: '/boxes',
  fields: { id: id(), label: file({ maxBytes: '2 GB' }) },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, update: anyone },
})

await runService(async () => [boxes])
