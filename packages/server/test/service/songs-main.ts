/** A program whose changes are followed, for tests that need a separate process. */
import { anyone, defineResource, integerId, runService, text } from '../../src/index.ts'

const songs = defineResource({
  name: 'song',
  path: '/songs',
  changes: true,
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone },
  fields: { id: integerId(), title: text({ required: true }) },
})

await runService([songs])
