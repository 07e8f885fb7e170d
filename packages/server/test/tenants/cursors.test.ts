/** A cursor is a position alone: the rights of the caller who sends it decide what follows it. */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { startService, type TestPerson } from '../../src/testing/index.ts'
import { clubhouse } from '../clubhouse/clubhouse.ts'

const service = await startService(clubhouse)
after(() => service.stop())
type Caller = TestPerson & { readonly tenant?: string }
const ask = (method: string, path: string, by: Caller, body?: object) =>
  service.ask(method, `/api/v1${path}`, {
    ...(body && { body }),
    token: by.token,
    headers: by.tenant === undefined ? {} : { 'x-tenant': by.tenant },
  })
async function made(path: string, by: Caller, body: object): Promise<string> {
  const reply = await ask('POST', path, by, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

it('a cursor of another tenant, or of a former role, leads to no record of it', async () => {
  const [ann, bob, zoe] = [await service.person(), await service.person(), await service.person()]
  const [rowing, chess] = [await made('/clubs', ann, { name: 'Rowing' }), await made('/clubs', bob, { name: 'Chess' })]
  const events = ['First', 'Second', 'Third']
  const keep = (by: Caller, clubId: string) => (title: string) => made('/events', by, { clubId, title })
  await Promise.all([...events.map(keep(ann, rowing)), ...events.map(keep(bob, chess))])
  await made('/events', ann, { clubId: rowing, title: 'Zenith', state: 'PUBLISHED' })
  const inRowing = await made('/memberships', ann, { clubId: rowing, userId: zoe.id, role: 'COACH' })
  await made('/memberships', bob, { clubId: chess, userId: zoe.id, role: 'COACH' })
  const next = async (by: Caller) => (await ask('GET', '/events?limit=2&sort=title&cursor=', by)).body.meta.nextCursor
  const from = async (cursor: string, by: Caller) => {
    const { body } = await ask('GET', `/events?limit=50&sort=title&cursor=${cursor}`, by)
    return new Set(body.data.map((one: { clubId: string }) => one.clubId))
  }
  const [annsNext, zoesNext] = [await next({ ...ann, tenant: rowing }), await next(zoe)]
  assert.deepEqual(await from(annsNext, bob), new Set([chess]))
  assert.deepEqual(await from(annsNext, { ...zoe, tenant: chess }), new Set([chess]))
  assert.deepEqual(await from(zoesNext, zoe), new Set([rowing, chess]))
  await ask('PATCH', `/memberships/${inRowing}`, ann, { role: 'PLAYER' })
  const seen = (await ask('GET', `/events?limit=50&sort=title&cursor=${zoesNext}`, { ...zoe, tenant: rowing })).body
  assert.deepEqual(
    seen.data.map(({ state }: { state: string }) => state),
    ['PUBLISHED'],
  )
  await ask('DELETE', `/memberships/${inRowing}`, ann)
  assert.deepEqual(await from(zoesNext, zoe), new Set([chess]))
})
