/**
 * Compile-time tests: wrong hooks and effects of accounts must not compile. The first declaration
 * is right.
 */
import {
  type AccountEffect,
  type AccountHooks,
  accounts,
  anyone,
  defineResource,
  id,
  integer,
  password,
  roleField,
  type SignUpWay,
  text,
} from '../../src/index.ts'

const fields = {
  id: id(),
  email: text({ required: true, unique: true, format: 'email' }),
  secret: password({ required: true }),
  role: roleField({ default: 'READER' }),
  age: integer(),
}
const users = defineResource({
  name: 'person',
  path: '/people',
  fields,
  identity: { kind: 'login', login: 'email', secret: 'secret', role: 'role' },
  access: { create: anyone },
})
const shelves = defineResource({
  name: 'shelf',
  fields: { id: id(), label: text({ required: true }) },
  access: { get: anyone },
})
const roles = ['READER', 'CURATOR'] as const

accounts({
  roles,
  users,
  hooks: {
    limitMs: 500,
    async beforeSignUp({ sent, record, way, provider, client, caller, records, refuse }) {
      const known: string | undefined = sent.email
      const name: string = record.email
      const by: SignUpWay = way
      const group: string | null = client.addressGroup
      const [shelf] = await records(shelves).list({ label: `${known}${name}${by}${group}${provider}${caller.userId}` })
      if (!shelf) refuse('No shelf', 'email')
      return { age: 7 }
    },
    beforeLogIn({ user, way, hasFactor, refuse }) {
      if (user.age === null && way === 'link' && !hasFactor) refuse('Say your age first')
    },
  },
  effects: {
    greet: {
      on: ['signedUp', 'passwordChanged'],
      retries: { tries: 2 },
      async run({ event, way, record, author, mail: _, records, log }) {
        if (event === 'signedUp' && way === 'first-start') return
        if (event === 'passwordChanged' && way === 'reset') log.info(record.email)
        await records.as(author)(shelves).get('1')
      },
    },
  },
})

// @ts-expect-error a secret is no part of what a hook is given
accounts({ roles, users, hooks: { beforeSignUp: ({ record }) => void record.secret } })
// @ts-expect-error a value of another type
accounts({ roles, users, hooks: { beforeSignUp: () => ({ age: 'seven' }) } })
// @ts-expect-error a hook sets no secret
accounts({ roles, users, hooks: { beforeSignUp: () => ({ secret: 'x' }) } })
// @ts-expect-error no such field
accounts({ roles, users, hooks: { beforeLogIn: ({ refuse }) => refuse('No', 'emial') } })
// @ts-expect-error a log-in changes nothing
accounts({ roles, users, hooks: { beforeLogIn: () => ({ age: 7 }) } })
// @ts-expect-error no such way
accounts({ roles, users, hooks: { beforeLogIn: ({ way }) => void (way === 'invitation') } })
// @ts-expect-error a hook reaches no network
accounts({ roles, users, hooks: { beforeLogIn: ({ fetch }) => void fetch } })
// @ts-expect-error no such hook
accounts({ roles, users, hooks: { beforeLogin: () => undefined } })
// @ts-expect-error no such event
accounts({ roles, users, effects: { greet: { on: ['create'], run: () => undefined } } })
// @ts-expect-error a secret is no part of what an effect is given
accounts({ roles, users, effects: { greet: { on: ['signedUp'], run: ({ record }) => void record.secret } } })

export const apart: AccountHooks<typeof fields> = { beforeLogIn: ({ user }) => void user.age }
export const effect: AccountEffect<typeof fields> = { on: ['loggedIn'], run: ({ record }) => void record.age }
