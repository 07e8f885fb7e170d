/**
 * A service with jobs in a process of its own, for tests. Its output says what it does: `begin
 * TEXT`, `end TEXT`. A job that names this process never ends in it.
 */
import { readFileSync } from 'node:fs'
import { readConfig } from '../../src/config.ts'
import { anyone, defineAction, defineJob, defineResource, id, list, text } from '../../src/index.ts'
import { start } from '../../src/service/start.ts'
import { recordingLog } from '../../src/testing/index.ts'

const role = process.env.ROLE ?? ''
const say = (line: string) => void process.stdout.write(`${line} ${role}\n`)

const print = defineJob({
  name: 'print',
  input: { text: text({ required: true }), hangsIn: text() },
  async run({ input, signal }) {
    say(`begin ${input.text}`)
    if (input.hangsIn === role)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    say(`end ${input.text}`)
  },
})

const pages = defineResource({
  name: 'page',
  path: '/pages',
  fields: { id: id(), title: text({ required: true }) },
  list: { style: 'page' },
  access: { list: anyone, create: anyone, print: anyone, stop: anyone },
  actions: {
    print: defineAction({
      input: { texts: list(text(), { required: true }), queue: text(), hangsIn: text(), key: text() },
      async run({ input: { texts, queue, hangsIn, key }, jobs }) {
        for (const one of texts)
          await jobs(print).add(
            { text: one, hangsIn },
            { ...(queue !== null && { queue }), ...(key !== null && { dedupe: { key, mode: 'keep' } }) },
          )
      },
    }),
    stop: defineAction({
      input: { key: text({ required: true }) },
      async run({ input, jobs }) {
        await jobs(print).cancel(input.key)
      },
    }),
  },
})

const clock = () => Number(readFileSync(process.env.CLOCK ?? '', 'utf8'))
const service = await start(readConfig(process.env), [pages, print], { log: recordingLog([]), clock })
say(`ready ${service.address}`)
