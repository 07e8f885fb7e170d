/**
 * An application with jobs, for their tests: letters that hooks and actions have sent, and a log of
 * what ran.
 */
import {
  accounts,
  anyone,
  defineAction,
  defineJob,
  defineResource,
  defineResources,
  defineSchedule,
  id,
  integer,
  money,
  operator,
  password,
  roleField,
  text,
  user,
} from '../../src/index.ts'

const users = defineResource({
  name: 'user',
  path: '/users',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'USER', write: operator }),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  list: { style: 'page' },
  access: { list: operator, create: anyone, get: operator, delete: operator, update: operator },
})

/** The runs in their order, and the holds and failures that a test wants. */
export const ran: string[] = []
export const held = new Map<string, Promise<void>>()
export const failures = new Map<string, number>()
export const signals = new Map<string, AbortSignal>()

/** Holds a job of this text until the function is called. */
export function hold(name: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  held.set(name, promise)
  return () => {
    held.delete(name)
    resolve()
  }
}

export const stamp = defineJob({
  name: 'stamp',
  input: { text: text({ required: true }), price: money({ default: 0.8 }), copies: integer({ min: 1, max: 9 }) },
  output: { stamped: text({ required: true }), price: money() },
  retries: { tries: 3, firstSeconds: 1, mostSeconds: 1 },
  timeoutSeconds: 30,
  async run({ input, progress, refuse, signal, caller, id: _id }) {
    ran.push(`begin ${input.text}`)
    signals.set(input.text, signal)
    progress({ done: 1, total: 2, note: 'half' })
    if (input.text === 'refused') refuse('No stamp is left')
    const left = failures.get(input.text) ?? 0
    if (left > 0) {
      failures.set(input.text, left - 1)
      throw new Error('secret of the server')
    }
    await held.get(input.text)
    ran.push(`end ${input.text}`)
    if (input.text === 'wrong') return { stamped: 'secret of the server', price: 'free' } as never
    return { stamped: `${input.text} by ${caller.userId ?? 'none'}`, price: input.price }
  },
})

/** It has no result. */
const weigh = defineJob({
  name: 'weigh',
  run() {
    ran.push('weigh')
  },
})

/** No action adds it, so that a version may leave it out. */
export const file = defineJob({ name: 'file', input: { drawer: text() }, run() {} })

export const tidy = defineSchedule({
  name: 'tidy',
  cron: '0 3 1 1 *',
  missed: 'skip',
  run: () => void ran.push('tidy'),
})

const letterFields = { id: id(), body: text({ required: true }) }

const stampOne = defineAction(letterFields, {
  summary: 'Stamp the letter.',
  input: { copies: integer({ min: 0, max: 99 }), key: text(), text: text() },
  job: {
    add: stamp,
    async input({ record, input, records, refuse }) {
      if ((await records(letters).get(record.id)).body === 'sealed') refuse('The letter is sealed')
      return { text: input.text ?? `one ${record.body}`, copies: input.copies }
    },
    options: ({ input }) => (input.key === null ? {} : { dedupe: { key: input.key, mode: 'keep' } }),
  },
})

const letters = defineResource({
  name: 'letter',
  path: '/letters',
  fields: letterFields,
  list: { style: 'page' },
  access: {
    list: user,
    create: anyone,
    get: anyone,
    addMany: user,
    addBad: user,
    stampOne: user,
    weighOne: anyone,
  },
  hooks: {
    async beforeCreate({ sent, jobs, refuse }) {
      await jobs(stamp).add({ text: `hook ${sent.body}` })
      if (sent.body === 'undone') refuse('undone')
      return undefined
    },
  },
  actions: {
    stampOne,
    weighOne: defineAction({ job: { add: weigh, input: () => ({}) } }),
    addMany: defineAction({
      input: {
        text: text({ required: true }),
        count: integer({ default: 1 }),
        queue: text(),
        key: text(),
        mode: text({ default: 'keep' }),
        waitMs: integer(),
        undone: integer(),
      },
      async run({ input, jobs, refuse, now }) {
        for (let i = 0; i < (input.count ?? 1); i++) {
          const dedupe = input.key === null ? undefined : { key: input.key, mode: input.mode as 'keep' | 'replace' }
          const at = input.waitMs === null ? undefined : new Date(Date.parse(now) + input.waitMs)
          await jobs(stamp).add(
            { text: input.count === 1 ? input.text : `${input.text}${i}` },
            { ...(input.queue !== null && { queue: input.queue }), ...(dedupe && { dedupe }), ...(at && { at }) },
          )
        }
        if (input.undone) refuse('undone')
      },
    }),
    addBad: defineAction({
      async run({ jobs }) {
        await jobs(stamp).add({ text: 'bad', copies: 12 })
      },
    }),
  },
})

const audit = { name: 'trace', path: '/traces' } as const

/** The version that a deploy left without the job `file`. */
export const smallMailroom = [
  ...defineResources([letters, ...accounts({ roles: ['USER', 'ADMIN'], users, keys: true, audit })]),
  stamp,
  weigh,
  tidy,
]
export const mailroom = [...smallMailroom, file]
