/**
 * Effects of accounts: each sign-up, log-in and new password leaves them with its way, its author
 * and the user as stored, on every path.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { updateRecord } from '../../src/command/console-records.ts'
import { password } from '../../src/testing/index.ts'
import { mood } from './hooked-people.ts'
import {
  api,
  type HookedWorld,
  logIn,
  logIns,
  mailedToken,
  send,
  signUps,
  startWorld,
  stopWorld,
  userOf,
} from './hooked-ways.ts'

let service: HookedWorld['service']
let adminId: string
before(async () => {
  ;({ service } = await startWorld())
  adminId = (await service.admin()).id
})
after(stopWorld)
beforeEach(() => {
  mood.deed = undefined
})

type Followed = Readonly<Record<string, Record<string, unknown>>>
/** The effects of this event after the work. */
async function followedBy(event: string, work: () => Promise<unknown>): Promise<Followed[]> {
  await service.sweep()
  mood.followed.length = 0
  await work()
  await service.sweep()
  return mood.followed.filter((one) => one.event === event) as Followed[]
}

async function change(id: string, body: object, token: string): Promise<void> {
  const { status, text } = await service.ask('PATCH', `${api}/users/${id}`, { body, token })
  assert.equal(status, 200, text)
}

type Changed = Awaited<ReturnType<typeof userOf>>
const fresh = 'another long password 77'
/** Each way to a new password. `author`: of whom the effect is. */
const passwords: Readonly<
  Record<string, { readonly by: 'user' | 'admin' | 'none'; run(user: Changed): Promise<unknown> }>
> = {
  own: {
    by: 'user',
    async run({ id, email }) {
      const { token } = await service.logIn(email)
      await change(id, { password: fresh, currentPassword: password }, token)
    },
  },
  reset: {
    by: 'user',
    async run({ email }) {
      await send('/auth/forgot', { email })
      const { status, text } = await send('/auth/reset', { token: await mailedToken(email), password: fresh })
      assert.equal(status, 204, text)
    },
  },
  operator: {
    by: 'admin',
    run: async ({ id }) => change(id, { password: fresh }, (await service.admin()).token),
  },
  'operator, at the command line': {
    by: 'none',
    async run({ id }) {
      const { engine } = service.service
      await updateRecord(engine, engine.catalog.get('user'), { id, input: { password: fresh } })
    },
  },
}

describe('effects of accounts', () => {
  for (const [name, { begin, way, provider = null, userId, isTrusted = false }] of Object.entries(signUps))
    it(`follow the sign-up of ${name}`, async () => {
      const email = `${name}@example.com`.replaceAll(' ', '-')
      const end = await begin(email)
      const [followed, ...more] = await followedBy('signedUp', async () => assert.equal((await end()).error, undefined))
      assert.deepEqual(more, [])
      const { record, author, id, ...rest } = followed as Followed
      const by = userId ? adminId : isTrusted ? null : record?.id
      assert.deepEqual(rest, { event: 'signedUp', way, provider, userId: by, isTrusted, tries: 1 })
      assert.deepEqual([record?.email, record?.nick, 'password' in (record ?? {})], [email, `by ${way}`, false])
      assert.deepEqual(mood.followed.filter(({ greeted }) => greeted === email).length, 1)
    })

  for (const [name, { begin, way, provider = null }] of Object.entries(logIns))
    it(`follow the log-in by ${name}`, async () => {
      const { userId, end } = await begin()
      const [followed, ...more] = await followedBy('loggedIn', async () => assert.equal((await end()).error, undefined))
      assert.deepEqual(more, [])
      const { record, id, ...rest } = followed as Followed
      assert.deepEqual(rest, { event: 'loggedIn', way, provider, userId, isTrusted: false, tries: 1 })
      assert.deepEqual([record?.id, 'password' in (record ?? {})], [userId, false])
    })

  for (const [name, { by, run }] of Object.entries(passwords))
    it(`follow a new password: ${name}`, async () => {
      const user = await userOf()
      const [followed, ...more] = await followedBy('passwordChanged', () => run(user))
      assert.deepEqual(more, [])
      const { record, id, ...rest } = followed as Followed
      const userId = { user: user.id, admin: adminId, none: null }[by]
      const [way] = name.split(',')
      assert.deepEqual(rest, {
        event: 'passwordChanged',
        way,
        provider: null,
        userId,
        isTrusted: by === 'none',
        tries: 1,
      })
      assert.equal(record?.email, user.email)
    })

  it('do not follow what was refused, nor other changes of a user', async () => {
    const user = await userOf()
    const { token } = await service.logIn(user.email)
    const of = (event: string) => mood.followed.filter((one) => one.event === event)
    await followedBy('any', async () => {
      mood.deed = 'refuses'
      assert.equal((await logIn(user.email)).status, 409)
      assert.equal((await send(`${api}/users`, { email: 'refused@example.com', password })).status, 409)
      mood.deed = undefined
      await change(user.id, { email: 'renamed@example.com', currentPassword: password }, token)
    })
    assert.deepEqual([of('signedUp'), of('loggedIn'), of('passwordChanged')], [[], [], []])
  })

  it('are listed and counted as the effects of the users', async () => {
    const { engine } = service.service
    assert.deepEqual(Object.keys(engine.catalog.get('user').effects), ['follow', 'greet'])
  })
})
