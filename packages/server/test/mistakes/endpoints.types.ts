/**
 * Compile-time tests of endpoints and of actions with an output: each line with `@ts-expect-error`
 * must not compile. `npm run check` reads this file; it needs no run.
 */
import {
  anyone,
  bytes,
  choice,
  defineAction,
  defineEndpoint,
  defineResource,
  id,
  integer,
  lines,
  money,
  object,
  owner,
  text,
  user,
} from '../../src/index.ts'

const fields = { id: id(), userId: text(), price: money({ required: true }) }
const boxes = defineResource({ name: 'box', path: '/boxes', fields, list: { style: 'page' }, access: { read: user } })
const base = { method: 'POST', rule: user } as const

export const right = defineEndpoint({
  ...base,
  name: 'right',
  on: { record: boxes },
  rule: owner('userId'),
  query: { loud: text(), least: integer({ default: 3 }) },
  input: { to: object({ street: text({ required: true }), zip: text() }, { required: true }) },
  output: { total: money({ required: true }), size: choice(['S', 'L'], { required: true }), note: text() },
  errors: { conflict: 'It is sold' },
  async run({ record, input, query, caller, request, records, refuse, transaction }) {
    const price: number | undefined = record.price
    const street: string = input.to.street
    const zip: string | null = input.to.zip
    const least: number = query.least
    const who: string | null = caller.userId
    const shown = await records(boxes).get(record.id)
    // Judged by the caller: the field may be absent.
    const seen: number | undefined = shown.price
    const stored: number = (await records.system(boxes).get(record.id)).price
    if (query.loud === null) refuse('conflict')
    await transaction(async (inside) => inside.records.system(boxes).list({}))
    return {
      total: (price ?? 0) + (seen ?? 0) + stored + least,
      size: 'L',
      note: `${street} ${zip} ${who} ${request.id}`,
    }
  },
})

// @ts-expect-error a rule is needed
export const withoutRule = defineEndpoint({ name: 'a', method: 'GET', run: () => undefined })

export const aboutRecord = defineEndpoint({
  ...base,
  name: 'a',
  // @ts-expect-error there is no record
  rule: owner('userId'),
  run: () => undefined,
})

export const aboutNoField = defineEndpoint({
  ...base,
  name: 'a',
  on: { record: boxes },
  // @ts-expect-error there is no such field
  rule: owner('ownerId'),
  run: () => undefined,
})

export const otherMethod = defineEndpoint({
  name: 'a',
  // @ts-expect-error GET or POST
  method: 'PUT',
  rule: user,
  run: () => undefined,
})

export const withoutRecord = defineEndpoint({
  ...base,
  name: 'a',
  // @ts-expect-error it is on no record
  run: ({ record }) => void record,
})

export const unknownInput = defineEndpoint({
  ...base,
  name: 'a',
  input: { name: text() },
  // @ts-expect-error there is no field `nam`
  run: ({ input }) => void input.nam,
})

export const missingOutput = defineEndpoint({
  ...base,
  name: 'a',
  output: { total: money({ required: true }) },
  // @ts-expect-error `total` is missing
  run: async () => ({}),
})

export const wrongOutput = defineEndpoint({
  ...base,
  name: 'a',
  output: { total: money({ required: true }) },
  // @ts-expect-error money is a number, in minor units
  run: () => ({ total: '1.50' }),
})

export const wrongLines = defineEndpoint({
  ...base,
  name: 'a',
  output: lines({ count: integer({ required: true }) }),
  // @ts-expect-error `count` is a number
  async *run() {
    yield { count: 'one' }
  },
})

export const wrongBytes = defineEndpoint({
  ...base,
  name: 'a',
  output: bytes('text/csv'),
  // @ts-expect-error bytes are no object
  run: () => ({ rows: 1 }),
})

export const undeclaredError = defineEndpoint({
  ...base,
  name: 'a',
  errors: { conflict: 'It is sold' },
  // @ts-expect-error `not-found` is not declared
  run: ({ refuse }) => refuse('not-found'),
})

export const unknownError = defineEndpoint({
  ...base,
  name: 'a',
  // @ts-expect-error there is no such code
  errors: { gone: 'It is gone' },
  run: () => undefined,
})

export const bodyOfFields = defineEndpoint({
  ...base,
  name: 'a',
  input: { name: text() },
  // @ts-expect-error only a raw body has bytes
  run: ({ body }) => void body,
})

export const webhook = defineEndpoint({
  name: 'a',
  method: 'POST',
  rule: anyone,
  body: 'raw',
  verify: ({ body }) => (body.length > 0 ? { event: 'evt_1' } : false),
  once: ({ verified }) => verified.event,
  async run({ verified, body }) {
    const event: string = verified.event
    const bytesOfIt: Buffer = body
    // @ts-expect-error `verify` gives no id
    const id: string = verified.id
    return void [event, bytesOfIt, id]
  },
})

export const action = defineAction(fields, {
  input: { count: integer({ required: true }) },
  output: { total: money({ required: true }), size: choice(['S', 'L'], { required: true }), note: text() },
  run: ({ record, input }) => ({ total: record.price * input.count, size: input.count > 3 ? 'L' : 'S' }),
})

export const actionWithoutOutput = defineAction(fields, {
  output: { total: money({ required: true }) },
  // @ts-expect-error `total` is missing
  run: () => ({ note: 'x' }),
})
