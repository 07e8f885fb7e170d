/**
 * An application whose code about accounts does what a test sets. It has hooks before a sign-up and
 * a log-in, and effects of both and of new passwords.
 */
import {
  accounts,
  anyOf,
  anyone,
  defineAction,
  defineResource,
  defineResources,
  defineTenancy,
  id,
  member,
  operator,
  owner,
  password,
  reference,
  roleField,
  text,
  user,
} from '../../src/index.ts'

export const deeds = ['refuses', 'refuses with a field', 'throws', 'hangs', 'network'] as const
export type Deed = (typeof deeds)[number]
type Seen = Readonly<Record<string, unknown>>

/** The test sets `deed` before a request. `seen`: what each hook was given, and each effect. */
export const mood: { deed: Deed | undefined; readonly seen: Seen[]; readonly followed: Seen[] } = {
  deed: undefined,
  seen: [],
  followed: [],
}

type Refuse = (sentence: string, field?: 'email') => never

async function behave(refuse: Refuse): Promise<void> {
  switch (mood.deed) {
    case 'refuses':
      return refuse('The hook wants no such record')
    case 'refuses with a field':
      return refuse('The hook wants another size', 'email')
    case 'throws':
      throw new Error('a mistake of the hook')
    case 'hangs':
      return new Promise(() => undefined)
    case 'network':
      return void (await fetch('http://127.0.0.1:1/'))
    default:
  }
}

const self = anyOf([owner('id'), operator])

export const users = defineResource({
  name: 'user',
  path: '/users',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'USER', write: operator }),
    nick: text({ readOnly: true }),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  list: { style: 'page' },
  access: { list: operator, get: self, create: anyone, update: self, import: operator },
})

const clubs = defineResource({
  name: 'club',
  path: '/clubs',
  fields: { id: id(), name: text({ required: true }) },
  list: { style: 'page' },
  access: { read: user, create: user, hire: member('OWNER') },
  hooks: {
    async beforeCreate({ sent, records }) {
      const email = sent.name
      if (email?.includes('@')) await records(users).create({ email, password: 'no hash, so no log-in' })
    },
  },
  actions: {
    hire: defineAction(
      { id: id(), name: text({ required: true }) },
      {
        input: { email: text({ required: true }) },
        run: async ({ records, input: { email } }) => {
          await records(users).create({ email, password: 'no hash, so no log-in' })
        },
      },
    ),
  },
})

const memberships = defineResource({
  name: 'membership',
  path: '/memberships',
  fields: {
    id: id(),
    clubId: reference('club', { required: true, onDelete: 'delete' }),
    userId: reference('user', { required: true, onDelete: 'delete' }),
    role: roleField({ default: 'PLAYER' }),
  },
  list: { style: 'page' },
  access: { read: member(), write: member('OWNER') },
})

const tenancy = defineTenancy('club', {
  members: 'membership',
  user: 'userId',
  role: 'role',
  roles: ['PLAYER', 'OWNER'],
  invitations: member('OWNER'),
})

const people = accounts({
  roles: ['USER', 'ADMIN', 'GUARD'],
  operator: 'ADMIN',
  users,
  hooks: {
    limitMs: 50,
    async beforeSignUp({ records, sent, record, way, provider, client, caller, refuse }) {
      await behave(refuse)
      const known = await records(users).list({})
      const { userId, isTrusted } = caller
      mood.seen.push({ hook: 'sign-up', way, provider, client, sent, record, userId, isTrusted, count: known.length })
      return { nick: `by ${way}` }
    },
    async beforeLogIn({ records, user, way, provider, client, hasFactor, refuse }) {
      await behave(refuse)
      const stored = await records(users).get(user.id)
      mood.seen.push({ hook: 'log-in', way, provider, client, hasFactor, user, email: stored.email })
    },
  },
  effects: {
    follow: {
      on: ['signedUp', 'loggedIn', 'passwordChanged'],
      run({ event, way, provider, record, author, id, tries }) {
        const { userId, isTrusted } = author
        mood.followed.push({ event, way, provider, record, userId, isTrusted, id, tries })
      },
    },
    greet: { on: ['signedUp'], run: ({ record }) => void mood.followed.push({ greeted: record.email }) },
  },
})

export const hooked = defineResources([clubs, memberships, tenancy, ...people])
