/** A small application with two schedules, for tests of commands. `ran` has their runs. */
import { anyone, defineResource, defineSchedule, id } from '../../src/index.ts'

export const ran: string[] = []

const things = defineResource({ name: 'thing', path: '/things', fields: { id: id() }, access: { create: anyone } })

export const nightly = defineSchedule({
  name: 'nightly',
  cron: '30 2 * * *',
  zone: 'Europe/Berlin',
  run: ({ at, missed }) => void ran.push(`nightly ${at} +${missed}`),
})
export const failing = defineSchedule({
  name: 'failing',
  cron: '0 12 1 * *',
  missed: 'skip',
  retries: { tries: 1 },
  run: () => Promise.reject(new Error('the press is out of ink')),
})

export const clockwork = [things, nightly, failing]
