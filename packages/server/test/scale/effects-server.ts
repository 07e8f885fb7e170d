/**
 * A service for the test of killed effects: each write of a ticket tells a receiver the number
 * that the write left.
 */
import { anyone, defineResource, id, integer, runService } from 'bindery-server'

const receiver = process.env.RECEIVER as string

const tickets = defineResource({
  name: 'ticket',
  path: '/tickets',
  fields: { id: id(), number: integer({ required: true }) },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, update: anyone },
  effects: {
    tell: {
      on: ['create', 'update'],
      retries: { tries: 1000, firstSeconds: 1, mostSeconds: 1 },
      async run({ record, id, fetch }) {
        const body = JSON.stringify({ id: record.id, number: record.number, effect: id })
        const answer = await fetch(receiver, { method: 'POST', body })
        if (!answer.ok) throw new Error(`The receiver answered ${answer.status}`)
      },
    },
  },
})

await runService([tickets])
