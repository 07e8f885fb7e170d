/**
 * References to records that the caller may not see, where those records decide about the write. A
 * record that would pass, one that would not, and one that does not exist have the same answer.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  accounts,
  anyone,
  boolean,
  defineResource,
  id,
  owner,
  reference,
  text,
  through,
  user,
  where,
} from '../../src/index.ts'
import { startService, type TestPerson } from '../../src/testing/index.ts'

const people = accounts({ roles: ['USER', 'ADMIN'] })
const rooms = defineResource({
  name: 'room',
  path: '/rooms',
  fields: {
    id: id(),
    code: text({ required: true, maxLength: 50 }),
    isOpen: boolean({ default: false }),
    ownerId: reference(people.users.name, { setBy: 'principal' }),
  },
  list: { style: 'page' },
  access: { read: owner('ownerId'), create: user, update: owner('ownerId') },
})
const fields = () => ({ id: id(), code: text({ maxLength: 50 }), note: text({ maxLength: 50 }) })
const open = { read: anyone, write: user, import: user }
/** The caller guesses the value that both share. */
const matched = defineResource({
  name: 'booking',
  path: '/bookings',
  fields: { ...fields(), roomId: reference('room', { match: 'code' }) },
  list: { style: 'page', bulk: true, filterable: ['note'] },
  access: open,
})
const checked = defineResource({
  name: 'visit',
  path: '/visits',
  fields: { ...fields(), roomId: reference('room') },
  checks: {
    isOpen: { require: through('roomId', where({ isOpen: true })), at: 'roomId', message: 'The room is closed' },
  },
  list: { style: 'page', bulk: true, filterable: ['note'] },
  access: open,
})
const forbidden = defineResource({
  name: 'message',
  path: '/messages',
  fields: { ...fields(), roomId: reference('room') },
  list: { style: 'page', bulk: true, filterable: ['note'] },
  access: {
    ...open,
    forbid: { write: through('roomId', where({ isOpen: false })), import: through('roomId', where({ isOpen: false })) },
  },
})
/** The named record allows the write: that is the permission itself, as a link is. */
const joined = defineResource({
  name: 'guest',
  path: '/guests',
  fields: { id: id(), roomId: reference('room', { required: true }) },
  list: { style: 'page' },
  access: { read: anyone, create: through('roomId', where({ isOpen: true })) },
})

const service = await startService([rooms, matched, checked, forbidden, joined, ...people])
after(() => service.stop())
const ask = (method: string, path: string, { token }: TestPerson, body?: unknown) =>
  service.ask(method, `/api/v1${path}`, { token, ...(body !== undefined && { body }) })

const ann = await service.person()
const eve = await service.person()
async function made(path: string, by: TestPerson, body: object): Promise<string> {
  const reply = await ask('POST', path, by, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}
const right = await made('/rooms', ann, { code: 'guess', isOpen: true })
const wrong = await made('/rooms', ann, { code: 'other', isOpen: false })
const nothing = '01926e0f-0000-7000-8000-000000000000'
const absent = 'roomId refers to no room that exists'

describe('a record that the caller may not see, which decides about a write', () => {
  for (const slug of ['bookings', 'visits', 'messages']) {
    it(`is as one that does not exist: ${slug}`, async () => {
      const own = await made(`/${slug}`, eve, { code: 'guess', note: slug })
      const type = slug[0]?.toUpperCase() + slug.slice(1, -1)
      for (const roomId of [right, wrong, nothing]) {
        const body = { code: 'guess', roomId }
        const mutation = `mutation { create${type}(input: { code: "guess", roomId: "${roomId}" }) { id } }`
        const imported = await service.ask('POST', `/api/v1/${slug}/import`, {
          raw: JSON.stringify(body),
          type: 'application/x-ndjson',
          token: eve.token,
        })
        const batch = await ask('POST', '/batch', eve, { operations: [{ method: 'POST', path: `/${slug}`, body }] })
        const graphql = await service.ask('POST', '/graphql', { token: eve.token, body: { query: mutation } })
        const told = [
          (await ask('POST', `/${slug}`, eve, body)).body.error,
          (await ask('PATCH', `/${slug}/${own}`, eve, { roomId })).body.error,
          (await ask('PUT', `/${slug}/${own}`, eve, body)).body.error,
          (await ask('PATCH', `/${slug}?note=${slug}&limit=5`, eve, { roomId })).body.error,
          imported.body.errors[0]?.error,
          batch.body.error?.replace(/^operations\[0\]: (.*); nothing was stored$/, '$1'),
          graphql.body.errors?.[0].message,
        ]
        assert.deepEqual(
          told,
          told.map(() => absent),
          roomId,
        )
      }
    })
  }

  it('tells its owner why', async () => {
    assert.equal((await ask('POST', '/bookings', ann, { code: 'guess', roomId: right })).status, 201)
    const told = [
      await ask('POST', '/bookings', ann, { code: 'guess', roomId: wrong }),
      await ask('POST', '/visits', ann, { roomId: wrong }),
      await ask('POST', '/messages', ann, { roomId: wrong }),
    ]
    assert.deepEqual(
      told.map(({ status, body }) => `${status} ${body.error}`),
      [`400 ${absent}`, '400 The room is closed', '403 Insufficient permissions'],
    )
    for (const slug of ['visits', 'messages'])
      assert.equal((await ask('POST', `/${slug}`, ann, { roomId: right })).status, 201)
  })

  it('is not tried again by another value that it would share', async () => {
    const booking = await made('/bookings', ann, { code: 'guess', roomId: right })
    for (const code of ['guess', 'other', 'third']) {
      const { status, body } = await ask('PATCH', `/bookings/${booking}`, eve, { code })
      // The value that it has changes nothing, and tells nothing that the booking does not show.
      assert.deepEqual([status, body.error], code === 'guess' ? [200, undefined] : [400, absent], code)
    }
    assert.equal((await ask('PATCH', `/bookings/${booking}`, eve, { note: 'Mine' })).status, 200)
  })

  it('may allow a write', async () => {
    assert.equal((await ask('POST', '/guests', eve, { roomId: right })).status, 201)
    const refused = [wrong, nothing].map((roomId) => ask('POST', '/guests', eve, { roomId }))
    const [one, other] = await Promise.all(refused)
    assert.deepEqual([one?.status, one?.body], [403, other?.body])
  })
})
