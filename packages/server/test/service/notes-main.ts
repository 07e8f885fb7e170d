/** A program with notes and the users who write them, for tests that need a separate process. */
import { anyone, defineEndpoint, runService, text } from '../../src/index.ts'
import { keys, notes, people } from './people.ts'

/** A request of the application's own that writes. */
const jot = defineEndpoint({
  name: 'jot',
  method: 'POST',
  rule: anyone,
  input: { title: text({ required: true }) },
  output: { id: text({ required: true }) },
  run: ({ input, transaction }) =>
    transaction(async ({ records }) => ({ id: (await records(notes).create({ title: input.title })).id })),
})

await runService([notes, ...people, keys, jot])
