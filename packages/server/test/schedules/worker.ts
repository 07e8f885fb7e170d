/**
 * A process that serves an application with schedules, for tests. Its clock is ahead of the real
 * one by the number in a file. It logs `run NAME MOMENT ID ROLE` to another file, then `ended …`.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { readConfig } from '../../src/config.ts'
import { anyone, defineResource, defineSchedule, id } from '../../src/index.ts'
import { start } from '../../src/service/start.ts'
import { recordingLog } from '../../src/testing/index.ts'

const [, , aheadFile = '', said = '', role = ''] = process.argv
const clock = () => Date.now() + Number(readFileSync(aheadFile, 'utf8'))
const say = (what: string) => appendFileSync(said, `${what} ${role}\n`)

const things = defineResource({ name: 'thing', path: '/things', fields: { id: id() }, access: { create: anyone } })
const every = (name: string, cron: string) =>
  defineSchedule({
    name,
    cron,
    missed: 'all',
    async run({ at, id }) {
      say(`run ${name} ${at} ${id}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
      say(`ended ${name} ${at} ${id}`)
    },
  })

const lines: string[] = []
await start(
  readConfig({ ...process.env, PORT: '0' }),
  [things, every('seconds', '* * * * * *'), every('fives', '*/5 * * * * *')],
  { log: recordingLog(lines), clock },
)
say('ready')
