/**
 * Jobs in an application with tenants: each member reads the own ones alone. A job acts by the
 * rights that its caller has when it runs, in the tenant of its request.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eraseRecord } from '../../src/accounts/erasure/erase-record.ts'
import {
  defineAction,
  defineEndpoint,
  defineJob,
  defineResource,
  id,
  integer,
  member,
  reference,
  text,
} from '../../src/index.ts'
import { equal } from '../../src/resource/condition.ts'
import { consolePrincipal } from '../../src/resource/principal.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { clubhouse, teams } from '../clubhouse/clubhouse.ts'

const tally = defineJob({
  name: 'tally',
  input: { report: text(), waits: text() },
  output: { seen: integer({ required: true }), noted: text() },
  retries: { tries: 1 },
  async run({ input, records, transaction }): Promise<{ seen: number; noted: string | null }> {
    const seen = (await records(teams).list({})).length
    if (input.report === null) return { seen, noted: null }
    const noted = `${seen} seen`
    await transaction((tx) => tx.records(reports).update(input.report as string, { note: noted }))
    return { seen, noted }
  },
})

const fields = {
  id: id(),
  clubId: reference('club', { required: true, onDelete: 'delete' }),
  note: text({ maxLength: 100 }),
}
const reports = defineResource({
  name: 'report',
  path: '/reports',
  tenant: 'clubId',
  fields,
  list: { style: 'page' },
  access: {
    read: member(),
    create: member(),
    update: member('COACH'),
    tally: member(),
    tallyLate: member(),
    tallyOnce: member(),
  },
  actions: {
    tally: defineAction(fields, { job: { add: tally, input: ({ record }) => ({ report: record.id }) } }),
    tallyLate: defineAction(fields, {
      job: {
        add: tally,
        input: ({ record }) => ({ report: record.id }),
        options: ({ now }) => ({ at: new Date(Date.parse(now) + 60_000) }),
      },
    }),
    tallyOnce: defineAction(fields, {
      job: {
        add: tally,
        input: () => ({}),
        options: ({ now }) => ({
          at: new Date(Date.parse(now) + 60_000),
          dedupe: { key: 'once', mode: 'keep' },
        }),
      },
    }),
  },
})

const addTally = defineEndpoint({
  name: 'addTally',
  method: 'POST',
  on: { collection: reports },
  rule: member(),
  output: { job: text({ required: true }) },
  run: async ({ jobs }) => ({ job: (await jobs(tally).add({})).id }),
})

type Club = { readonly id: string; readonly coach: TestPerson; readonly player: TestPerson; readonly report: string }

describe('jobs of tenants', () => {
  let service: TestService
  let reds: Club
  let blues: Club
  let admin: TestPerson
  before(async () => {
    service = await startService([...clubhouse, reports, tally, addTally], { mayFail: true })
    admin = await service.admin()
    reds = await club('Reds', 1)
    blues = await club('Blues', 2)
  })
  after(() => service?.stop())

  async function club(name: string, teamsOf: number): Promise<Club> {
    const [coach, player] = [await service.person(), await service.person()]
    const made = String((await service.make('club', { name })).id)
    await service.make('membership', { clubId: made, userId: coach.id, role: 'COACH' })
    await service.make('membership', { clubId: made, userId: player.id, role: 'PLAYER' })
    for (let i = 0; i < teamsOf; i += 1) await service.make('team', { clubId: made, name: `${name} ${i}` })
    const report = String((await service.make('report', { clubId: made })).id)
    return { id: made, coach, player, report }
  }
  const post = (path: string, { token }: TestPerson, tenant?: string) =>
    service.ask('POST', `/api/v1/reports${path}`, { token, ...(tenant && { headers: { 'x-tenant': tenant } }) })
  const act = async (of: Club, by: TestPerson, action = 'tally') => {
    const answer = await post(`/${of.report}/${action}`, by)
    assert.equal(answer.status, 202, answer.text)
    return answer.headers.get('location') as string
  }
  const read = (path: string, by: TestPerson, headers = {}) => service.ask('GET', path, { token: by.token, headers })
  const noteOf = async (of: Club) => (await read(`/api/v1/reports/${of.report}`, of.coach)).body.note

  it('see the records of their tenant, and are read by the caller who added them alone', async () => {
    const [red, blue] = [await act(reds, reds.coach), await act(blues, blues.coach)]
    await service.sweep()
    const [seenRed, seenBlue] = [await read(red, reds.coach), await read(blue, blues.coach)]
    assert.deepEqual(
      [seenRed.body.result, seenBlue.body.result],
      [
        { seen: 1, noted: '1 seen' },
        { seen: 2, noted: '2 seen' },
      ],
    )
    const missing = await read('/api/v1/_jobs/01987c5e-7c1f-7a3b-9d42-3f5a6b7c8d9e', blues.coach)
    for (const one of [blues.coach, blues.player, reds.player]) {
      const answer = await read(red, one)
      assert.deepEqual([answer.status, answer.text], [404, missing.text])
    }
    assert.equal((await read(red, reds.coach, { 'x-tenant': reds.id })).status, 200)
    assert.equal((await read(red, reds.coach, { 'x-tenant': blues.id })).status, 404)
    assert.equal((await read(red, admin)).status, 200)
  })

  it('are added by endpoints in the tenant that the request names', async () => {
    const both = await service.person()
    for (const { id } of [reds, blues])
      await service.make('membership', { clubId: id, userId: both.id, role: 'PLAYER' })
    const added = async (of: Club) => (await post('/add-tally', both, of.id)).body.job as string
    const jobs = [await added(reds), await added(blues)]
    await service.sweep()
    const bodies = await Promise.all(jobs.map((one) => read(`/api/v1/_jobs/${one}`, both)))
    assert.deepEqual(
      bodies.map(({ body }) => body.result?.seen),
      [1, 2],
    )
    assert.equal((await post('/add-tally', reds.player, blues.id)).status, 404)
    assert.equal((await read(`/api/v1/_jobs/${jobs[0]}`, both, { 'x-tenant': blues.id })).status, 404)
  })

  it('write by the rights of the caller: a player may add one, and its write is refused', async () => {
    const before = await noteOf(blues)
    const job = await act(blues, blues.player)
    await service.sweep()
    const { body } = await read(job, blues.player)
    assert.equal(body.state, 'failed')
    assert.equal(body.error, 'Insufficient permissions')
    assert.equal(await noteOf(blues), before)
  })

  it('have keys of their tenant: one of another tenant is not kept for them', async () => {
    const [red, blue] = [await act(reds, reds.coach, 'tally-once'), await act(blues, blues.coach, 'tally-once')]
    assert.notEqual(red, blue)
    assert.equal(await act(reds, reds.coach, 'tally-once'), red)
    const other = await post(`/${reds.report}/tally-once`, reds.player)
    assert.equal(other.status, 409, other.text)
  })

  it('end with the membership: the work has no rights, and the job is read no more', async () => {
    const leaver = await service.person()
    const membership = await service.make('membership', { clubId: reds.id, userId: leaver.id, role: 'COACH' })
    const added = await post('/add-tally', leaver, reds.id)
    const job = `/api/v1/_jobs/${added.body.job}`
    await service.sweep()
    assert.deepEqual((await read(job, leaver)).body.result, { seen: 1, noted: null })
    const waiting = await post(`/${reds.report}/tally-late`, leaver)
    const left = await service.ask('DELETE', `/api/v1/memberships/${membership.id}`, { token: reds.coach.token })
    assert.equal(left.status, 204, left.text)
    service.turn(61_000)
    await service.sweep()
    assert.equal((await read(job, leaver)).status, 404)
    const ended = await read(String(waiting.headers.get('location')), admin)
    assert.deepEqual([ended.body.state, ended.body.error], ['failed', 'Club not found'])
  })

  it('end with their tenant: those that wait are cancelled, and an erasure removes all', async () => {
    const gone = await club('Greens', 3)
    const [own, late] = [await act(gone, gone.coach), await act(gone, gone.player, 'tally-once')]
    await service.sweep()
    const { storage } = service.service.engine
    const stateOf = async (path: string) =>
      (await storage.jobs.find(path.split('/').at(-1) ?? '', service.now()))?.state
    assert.deepEqual([await stateOf(own), await stateOf(late)], ['done', 'waiting'])
    const owner = await service.person()
    await service.make('membership', { clubId: gone.id, userId: owner.id, role: 'OWNER' })
    const other = await act(reds, reds.coach, 'tally-late')
    const removed = await service.ask('DELETE', `/api/v1/clubs/${gone.id}`, { token: owner.token })
    assert.equal(removed.status, 204, removed.text)
    assert.deepEqual([await stateOf(own), await stateOf(late), await stateOf(other)], ['done', 'cancelled', 'waiting'])
    assert.equal((await read(own, gone.coach)).status, 404)
  })

  it('are removed with every copy of a user, and of a tenant', async () => {
    const gone = await club('Browns', 1)
    const [ofCoach, ofPlayer] = [await act(gone, gone.coach), await act(gone, gone.player)]
    const { engine } = service.service
    const erase = (name: string, one: string) =>
      eraseRecord(engine, {
        resource: engine.catalog.get(name),
        where: equal('id', one),
        principal: consolePrincipal(engine.catalog),
        dry: false,
      })
    const isThere = async (path: string) => (await read(path, admin)).status === 200
    await erase('user', gone.player.id)
    assert.deepEqual([await isThere(ofCoach), await isThere(ofPlayer)], [true, false])
    await erase('club', gone.id)
    assert.equal(await isThere(ofCoach), false)
  })
})
