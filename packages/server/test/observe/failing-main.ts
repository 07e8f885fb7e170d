/** A program with an action that fails; the error contains the caller's input. */
import { anyone, defineResource, id, runService, text, user } from '../../src/index.ts'
import { keys, people } from '../service/people.ts'

const things = defineResource({
  name: 'thing',
  path: '/things',
  fields: { id: id(), name: text({ required: true }) },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, fail: user },
  actions: {
    fail: {
      async run({ record }) {
        throw new Error(`it was about ${record.name}`)
      },
    },
  },
})

await runService([things, ...people, keys])
