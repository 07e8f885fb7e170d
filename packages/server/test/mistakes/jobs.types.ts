/** Compile-time tests: mistakes in jobs must not compile. */
import { defineJob, integer, type Jobs, text } from '../../src/index.ts'

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

// @ts-expect-error no such input
defineJob({ name: 'wrong', input: { to: text() }, run: ({ input }) => void input.too })
// @ts-expect-error a result of another type
defineJob({ name: 'wrong', output: { sent: integer({ required: true }) }, run: () => ({ sent: 'one' }) })
// @ts-expect-error no result
defineJob({ name: 'wrong', output: { sent: integer({ required: true }) }, run() {} })
// @ts-expect-error a misspelt member
defineJob({ name: 'wrong', run() {}, timeout: 3 })
