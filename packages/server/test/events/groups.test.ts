/**
 * Memberships of groups: what shows a record goes with the group, and with the membership of its
 * tenant. Neither table keeps changes by declaration.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestPerson, type TestService } from 'bindery-server/test'
import { member } from '../../src/index.ts'
import { library } from './library.ts'
import { type FeedEvent, makeSettle } from './reader.ts'

let own: TestService
let admin: TestPerson
let ann: TestPerson
let settle: () => Promise<void>
before(async () => {
  own = await startService(library({ post: member('PLAYER', { of: 'team' }) }))
  admin = await own.admin()
  ann = await own.person()
  settle = makeSettle(own.ask, { token: admin.token })
})
after(() => own.stop())

async function write(method: string, path: string, body?: object): Promise<string> {
  const reply = await own.ask(method, `/api/v1${path}`, { ...(body && { body }), token: admin.token })
  assert.ok(reply.status < 300, `${method} ${path} ${reply.text}`)
  return reply.body?.id
}

describe('Members of a group', () => {
  for (const lost of ['the group', 'the membership of the tenant'] as const)
    it(`see their records leave with ${lost}`, async () => {
      const clubId = await write('POST', '/clubs', { name: 'Chess' })
      const teamId = await write('POST', '/teams', { clubId, name: 'Team' })
      await settle()
      const start = await own.ask('GET', '/api/v1/_changes?resources=posts', { token: ann.token })
      const mine = await write('POST', '/memberships', { clubId, userId: ann.id })
      await write('POST', '/team-members', { teamId, userId: ann.id })
      const post = await own.make('post', { clubId, teamId, state: 'OPEN', title: 'Hello' })
      await write('DELETE', lost === 'the group' ? `/teams/${teamId}` : `/memberships/${mine}`)
      await settle()
      const after = start.body.meta.position
      const { body, text } = await own.ask('GET', `/api/v1/_changes?resources=posts&after=${after}`, {
        token: ann.token,
      })
      const said = (body.data as readonly FeedEvent[]).map(({ type, id }) => [type, id])
      assert.deepEqual(
        said,
        [
          ['enter', post.id],
          ['leave', post.id],
        ],
        text,
      )
    })
})
