/** Endpoints in an application with tenants: the other tenant does not exist for their code. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { defineEndpoint, integer, member, text, user } from '../../../src/index.ts'
import { startService, type TestService } from '../../../src/testing/index.ts'
import { clubhouse, clubs, teams } from '../../clubhouse/clubhouse.ts'

const standing = defineEndpoint({
  name: 'standing',
  method: 'GET',
  on: { record: teams },
  rule: user,
  output: { team: text({ required: true }), club: text() },
  async run({ record, records }) {
    const club = await records(clubs).get(record.clubId as string)
    return { team: record.name ?? '', club: club.name }
  },
})

const countTeams = defineEndpoint({
  name: 'countTeams',
  method: 'GET',
  on: { collection: teams },
  rule: member('COACH'),
  output: { seen: integer({ required: true }), inside: integer({ required: true }), all: integer({ required: true }) },
  async run({ records, transaction }) {
    const seen = (await records(teams).list({})).length
    const inside = await transaction(async (tx) => (await tx.records(teams).list({})).length)
    return { seen, inside, all: (await records.system(teams).list({})).length }
  },
})

let service: TestService
let coach: { id: string; token: string }
let player: { id: string; token: string }
const made: Record<string, { club: string; team: string }> = {}
before(async () => {
  service = await startService([...clubhouse, standing, countTeams], {})
  coach = await service.person()
  player = await service.person()
  for (const name of ['Reds', 'Blues']) {
    const club = String((await service.make('club', { name })).id)
    made[name] = { club, team: String((await service.make('team', { clubId: club, name: `${name} A` })).id) }
  }
  const { club } = made.Reds as { club: string }
  await service.make('membership', { clubId: club, userId: coach.id, role: 'COACH' })
  await service.make('membership', { clubId: club, userId: player.id, role: 'PLAYER' })
})
after(() => service?.stop())

it('finds records of the own tenants alone', async () => {
  const own = await service.ask('GET', `/api/v1/teams/${made.Reds?.team}/standing`, { token: coach.token })
  assert.deepEqual([own.status, own.body], [200, { team: 'Reds A', club: 'Reds' }], own.text)
  const other = await service.ask('GET', `/api/v1/teams/${made.Blues?.team}/standing`, { token: coach.token })
  const missing = await service.ask('GET', '/api/v1/teams/01987c5e-7c1f-7a3b-9d42-3f5a6b7c8d9e/standing', {
    token: coach.token,
  })
  assert.deepEqual([other.status, other.text], [404, missing.text])
})

it('names a tenant by X-Tenant, which the caller must be in', async () => {
  const ask = (headers: Record<string, string>, token = coach.token) =>
    service.ask('GET', '/api/v1/teams/count-teams', { token, headers })
  assert.equal((await ask({ 'x-tenant': String(made.Reds?.club) })).status, 200)
  assert.equal((await ask({ 'x-tenant': String(made.Blues?.club) })).status, 404)
  assert.equal((await ask({}, player.token)).status, 403)
})

it('gives code the records of the caller, and all by system alone', async () => {
  const { body } = await service.ask('GET', '/api/v1/teams/count-teams', { token: coach.token })
  assert.deepEqual(body, { seen: 1, inside: 1, all: 2 })
})
