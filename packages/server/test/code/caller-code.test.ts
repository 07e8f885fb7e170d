/**
 * Code outside of transactions for a caller: its records are judged by the rights of the present,
 * and those of the system are not. A judged write that is refused undoes its transaction.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { startService, type TestPerson, type TestService } from 'bindery-server/test'
import { codeEngineOf } from '../../src/code/judged-engine.ts'
import { callerCode } from '../../src/code/outside-code.ts'
import { anyone, defineResource, id, text } from '../../src/index.ts'
import { knownCaller } from '../../src/resource/code/acting-caller.ts'
import type { Author } from '../../src/storage/changes.ts'
import { clubhouse, clubs, events, memberships, teams, users } from '../clubhouse/clubhouse.ts'

let service: TestService
let founder: TestPerson
let player: TestPerson
let club: string
let other: string
let event: string

before(async () => {
  service = await startService(clubhouse)
  founder = await service.person()
  player = await service.person()
  const made = async (path: string, by: TestPerson, body: object): Promise<string> => {
    const reply = await service.ask('POST', `/api/v1${path}`, { token: by.token, body })
    assert.equal(reply.status, 201, reply.text)
    return reply.body.id
  }
  club = await made('/clubs', founder, { name: 'Rowing' })
  other = await made('/clubs', player, { name: 'Chess' })
  await made('/memberships', founder, { clubId: club, userId: player.id })
  event = await made('/events', founder, { clubId: club, title: 'Regatta' })
})
after(() => service.stop())

function codeOf(author: Pick<Author, 'userId'> & Partial<Author>) {
  const { engine } = service.service
  const stored: Author = { role: 'USER', credential: 'session:gone', ...author }
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const deps = { engine: codeEngineOf(engine), fetch: engine.outgoing.guarded('test'), log, author: stored }
  return callerCode(deps, { name: 'test', signal: AbortSignal.timeout(60_000) })
}

const failure = (code: string, message: RegExp) => ({ code, message })

it('judges by the rights that the stored user has now, and not where the system is asked', async () => {
  const { records } = codeOf({ userId: player.id })
  assert.deepEqual((await records(events).list({})).length, 0, 'a draft is for coaches')
  await assert.rejects(records(events).get(event), failure('not-found', /Event not found/))
  await assert.rejects(records(teams).create({ clubId: club, name: 'Two' }), failure('forbidden', /./))
  assert.equal((await records.system(events).get(event)).title, 'Regatta')
  const [own] = await records.system(memberships).list({ clubId: club, userId: player.id })
  await records.system(memberships).update(own?.id as string, { role: 'COACH' })
  assert.equal((await records(events).get(event)).title, 'Regatta')
  const made = await records(events).create({ clubId: club, title: 'Training' })
  const { body } = await service.ask('GET', `/api/v1/events/${made.id}/history`, { token: founder.token })
  const { historyBy, historyCredential } = body.data[0]
  assert.deepEqual([historyBy, historyCredential], [player.id, 'session:gone'], 'a version names its author')
  assert.equal((await records(events).update(made.id, { title: 'Late' })).title, 'Late')
  await records(events).delete(made.id)
  const team = await records(teams).create({ clubId: club, name: 'Two' })
  await records(teams).delete(team.id)
  await records.system(memberships).update(own?.id as string, { role: 'PLAYER' })
})

it('keeps to the tenant of the request that was, and refuses a user who may not act', async () => {
  const [own] = await codeOf({ userId: player.id }).records.system(memberships).list({ clubId: other })
  assert.equal(own?.userId, player.id)
  const inOther = codeOf({ userId: player.id, tenant: { name: 'club', id: other } })
  assert.deepEqual(
    (await inOther.records(clubs).list({})).map(({ name }) => name),
    ['Chess'],
  )
  assert.equal((await inOther.records.system(clubs).list({})).length, 2)
  const left = codeOf({ userId: founder.id, tenant: { name: 'club', id: other } })
  await assert.rejects(left.records(events).list({}), failure('not-found', /Club not found/))
  const gone = codeOf({ userId: '01890a5d-ac96-774b-bcce-b302099a8057' })
  await assert.rejects(gone.records(clubs).list({}), failure('forbidden', /gone, or may not act/))
  assert.equal((await gone.records.system(clubs).list({})).length, 2)
  const stranger = codeOf({ userId: null, role: null, credential: 'anonymous' })
  await assert.rejects(stranger.records(events).create({ clubId: club, title: 'x' }), failure('unauthenticated', /./))
  const service = codeOf({ userId: null, role: null, credential: 'service' })
  assert.equal((await service.records(events).get(event)).title, 'Regatta', 'no rule binds the service')
})

it('stores judged and system writes together, and none after a refused one, even where it is caught', async () => {
  const { records, transaction } = codeOf({ userId: founder.id })
  const titles = async () => (await records.system(events).list({ clubId: club })).map(({ title }) => title).toSorted()
  const both = await transaction(async (inside) => {
    const made = await inside.records(events).create({ clubId: club, title: 'Judged' })
    await inside.records.system(events).create({ clubId: other, title: 'Elsewhere' })
    assert.equal((await inside.records(events).get(made.id)).title, 'Judged', 'it sees its own writes')
    return (await inside.records(events).list({})).length
  })
  assert.equal(both, 2)
  assert.deepEqual(await titles(), ['Judged', 'Regatta'])
  const caught = transaction(async (inside) => {
    await inside.records(events).create({ clubId: club, title: 'Before' })
    const [elsewhere] = await inside.records.system(events).list({ clubId: other })
    await assert.rejects(
      inside.records(events).update(elsewhere?.id as string, { title: 'x' }),
      failure('not-found', /./),
    )
  })
  await assert.rejects(caught, failure('not-found', /Event not found/))
  await assert.rejects(
    transaction(async (inside) => {
      await inside.records(events).create({ clubId: club, title: 'Before' })
      inside.refuse('not today')
    }),
    failure('conflict', /not today/),
  )
  assert.deepEqual(await titles(), ['Judged', 'Regatta'])
  const reads = await transaction(async (inside) => {
    await assert.rejects(inside.records(events).get(other), failure('not-found', /./))
    return inside.records(events).create({ clubId: club, title: 'After' })
  })
  assert.equal(reads.title, 'After', 'a read that finds nothing ends no transaction')
})

it('takes no copy of a caller', () => {
  const { records } = codeOf({ userId: player.id })
  const copy = { userId: player.id, role: 'USER', isTrusted: true }
  assert.throws(() => records.system.as(copy as never), /no copy of it/)
  const known = knownCaller(copy, { userId: player.id, credential: 'session:1' })
  assert.deepEqual({ ...known }, copy)
  assert.throws(() => records.system.as({ ...known } as never), /no copy of it/)
  assert.equal(typeof records.system.as(known)(events).get, 'function')
})

it('is judged in an effect by the rights that the author has by then', async () => {
  const seen: unknown[] = []
  let ready: Promise<void> = Promise.resolve()
  const outcome = (asked: Promise<unknown>) => asked.catch(({ code }) => code)
  const letters = defineResource({
    name: 'letter',
    path: '/letters',
    fields: { id: id(), words: text({ required: true }) },
    access: { create: anyone },
    effects: {
      read: {
        on: ['create'],
        async run({ author, records, transaction }) {
          await ready
          seen.push(
            (await outcome(
              records
                .as(author)(users)
                .list({})
                .then((all) => all.length),
            )) ?? null,
          )
          seen.push(
            await outcome(
              records
                .as(author)(users)
                .get(author.userId ?? '')
                .then(({ email }) => email),
            ),
          )
          seen.push((await records(users).list({})).length > 1)
          seen.push(
            await outcome(transaction((inside) => inside.records.as(author)(clubs).create({ name: 'By post' }))),
          )
        },
      },
    },
  })
  const own = await startService([...clubhouse, letters])
  after(() => own.stop())
  const [writer, reader] = [await own.person(), await own.person()]
  const write = (token?: string) => own.ask('POST', '/api/v1/letters', { token, body: { words: 'a' } })
  assert.equal((await write(writer.token)).status, 201)
  await own.sweep()
  const [listed, email, system, made] = seen.splice(0)
  assert.deepEqual([listed, email, system], ['forbidden', writer.email, true])
  assert.equal((made as { name: string }).name, 'By post', own.logged.join('\n'))
  const { promise, resolve } = Promise.withResolvers<void>()
  ready = promise
  await write(reader.token)
  const gone = await own.ask('DELETE', `/api/v1/users/${reader.id}`, { token: (await own.admin()).token })
  assert.equal(gone.status, 204, gone.text)
  resolve()
  await own.sweep()
  await write()
  await own.sweep()
  const refused = (code: string) => [code, code, true, code]
  assert.deepEqual(seen, [...refused('forbidden'), ...refused('unauthenticated')])
})
