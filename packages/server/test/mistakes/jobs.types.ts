/** Compile-time tests: mistakes in jobs must not compile. */
import { anyone, defineAction, defineJob, defineResource, id, integer, type Jobs, text, user } from '../../src/index.ts'

const send = defineJob({
  name: 'send',
  input: { to: text({ required: true }), copies: integer() },
  output: { sent: integer({ required: true }) },
  async run({ input, progress }) {
    const to: string = input.to
    const copies: number | null = input.copies
    progress({ done: to.length, total: copies ?? 1 })
    return { sent: 1 }
  },
})
declare const jobs: Jobs

export const added: Promise<{ readonly id: string }> = jobs(send).add({ to: 'ann' }, { at: new Date(), queue: 'mail' })
jobs(send).add({ to: 'ann', copies: 2 }, { dedupe: { key: 'ann', mode: 'replace' } })
jobs(send).cancel('ann')
// @ts-expect-error a needed value
jobs(send).add({ copies: 2 })
// @ts-expect-error a value of another type
jobs(send).add({ to: 7 })
// @ts-expect-error no such mode
jobs(send).add({ to: 'ann' }, { dedupe: { key: 'ann', mode: 'skip' } })
// @ts-expect-error no such option
jobs(send).add({ to: 'ann' }, { queue: 'mail', dedup: { key: 'ann', mode: 'keep' } })
// @ts-expect-error an option of another type
jobs(send).add({ to: 'ann' }, { at: 7 })

// @ts-expect-error no such input
defineJob({ name: 'wrong', input: { to: text() }, run: ({ input }) => void input.too })
// @ts-expect-error a result of another type
defineJob({ name: 'wrong', output: { sent: integer({ required: true }) }, run: () => ({ sent: 'one' }) })
// @ts-expect-error no result
defineJob({ name: 'wrong', output: { sent: integer({ required: true }) }, run() {} })
// @ts-expect-error a misspelt member
defineJob({ name: 'wrong', run() {}, timeout: 3 })

const fields = { id: id(), name: text({ required: true }), copies: integer() }
defineAction(fields, {
  input: { copies: integer({ required: true }) },
  job: {
    add: send,
    input: ({ record, input }) => ({ to: record.name, copies: input.copies }),
    options: ({ record }) => ({ dedupe: { key: record.name, mode: 'keep' } }),
  },
})
defineAction({ job: { add: send, input: async ({ caller }) => ({ to: caller.userId ?? 'none' }) } })
// @ts-expect-error the job needs more
defineAction(fields, { job: { add: send, input: ({ record }) => ({ copies: record.copies }) } })
// @ts-expect-error a value of another type
defineAction(fields, { job: { add: send, input: ({ record }) => ({ to: record.copies }) } })
// @ts-expect-error no such field of the record
defineAction(fields, { job: { add: send, input: ({ record }) => ({ to: record.title }) } })
// @ts-expect-error no such field of the input
defineAction(fields, { job: { add: send, input: ({ input }) => ({ to: input.name }) } })
// @ts-expect-error the job has the code
defineAction(fields, { job: { add: send, input: () => ({ to: 'ann' }) }, run() {} })
// @ts-expect-error the answer is the job
defineAction(fields, { job: { add: send, input: () => ({ to: 'ann' }) }, output: { sent: integer() } })
// @ts-expect-error neither work nor a job
defineAction(fields, { summary: 'Nothing' })

/** A job may use the resource whose action adds it. It names the type of a result from there. */
const count = defineJob({
  name: 'count',
  output: { all: integer({ required: true }) },
  async run({ records }): Promise<{ all: number }> {
    return { all: (await records(things).list({})).length }
  },
})
const clean = defineJob({
  name: 'clean',
  async run({ records }) {
    await records(things).deleteWhere({ copies: 0 })
  },
})
export const things = defineResource({
  name: 'thing',
  path: '/things',
  fields,
  access: { get: anyone, count: user, clean: user },
  actions: {
    count: defineAction(fields, { job: { add: count, input: () => ({}) } }),
    clean: defineAction(fields, { job: { add: clean, input: () => ({}) } }),
  },
})
