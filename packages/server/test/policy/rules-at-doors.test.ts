/**
 * Random rules of real resources, asked at every door: lists, single records, totals, GraphQL and
 * writes answer as a plain evaluation of the rule says.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AskOptions, startService, type TestService } from 'bindery-server/test'
import fc from 'fast-check'
import { defineResource, user } from '../../src/index.ts'
import { anonymous, type Principal } from '../../src/resource/principal.ts'
import type { Rule } from '../../src/resource/rule.ts'
import { resources } from '../application/resources/index.ts'
import { type Club, type ClubRow, clubCatalog, clubTime, players, randomClub, teams } from './club.ts'
import { type RandomRule, randomRule } from './random-rules.ts'

const settings = { currency: 'USD', signUp: 'open' } as const
const number = process.env.TEST_LONG ? 40 : 6

/** Rules of the resources; none that reads a clock, which goes on while the test asks. */
function drawRules(): readonly RandomRule[] {
  const facts = ({ rule }: RandomRule) =>
    rule.type.judgesBy(rule, { catalog: clubCatalog, settings, resource: clubCatalog.get('player') })
  const drawn = fc.sample(randomRule.player, number * 20)
  return drawn.filter((one) => !facts(one).includes('clock')).slice(-number)
}
const [reading, writing] = [drawRules(), drawRules()]

const copies = reading.map((read, i) =>
  defineResource({
    ...players,
    name: `copy${i}`,
    path: `/copies-${i}`,
    plural: `copies${i}`,
    access: {
      read: read.rule as Rule<never, never, never>,
      create: user,
      update: { before: (writing[i] as RandomRule).rule as Rule<never, never, never>, after: user },
    },
  } as never),
)

let service: TestService
let club: Club
let rowsOf: ClubRow[][]
let callers: readonly (readonly [Principal, AskOptions])[]

before(async () => {
  service = await startService([...resources, teams, players, ...copies], { clock: () => Date.parse(clubTime) })
  const [first, second, admin] = [await service.person(), await service.person(), await service.admin()]
  const drawn = fc.sample(randomClub, 1)[0] as Club
  const people = new Map<unknown, unknown>()
  const named = [first.id, second.id, admin.id]
  for (const one of [...drawn.team.map((row) => row.leaderId), ...drawn.player.map((row) => row.userId)])
    if (one !== null && !people.has(one)) people.set(one, named[people.size % 3])
  const ids = new Map<unknown, unknown>()
  const team: ClubRow[] = []
  for (const { id, parentId, leaderId, level } of drawn.team) {
    const values = { parentId: ids.get(parentId) ?? null, leaderId: people.get(leaderId) ?? null, level }
    const made = await service.make('team', values)
    ids.set(id, made.id)
    team.push({ id: made.id as string, ...values })
  }
  const valuesOf = ({ id: _, ...row }: ClubRow) => ({
    ...row,
    teamId: ids.get(row.teamId) ?? null,
    userId: people.get(row.userId) ?? null,
  })
  const make = async (name: string) => {
    const rows: ClubRow[] = []
    for (const row of drawn.player) {
      const values = valuesOf(row)
      rows.push({ ...values, id: (await service.make(name, values)).id as string })
    }
    return rows
  }
  club = { team, player: await make('player') }
  rowsOf = []
  for (const i of copies.keys()) rowsOf.push(await make(`copy${i}`))
  const principal = (userId: string, role: string): Principal => ({
    kind: 'user',
    userId,
    role,
    via: 'token',
    scopes: null,
    user: {},
  })
  const { lowest, highest } = clubCatalog.roles
  callers = [
    [anonymous, {}],
    [principal(first.id as string, lowest), { token: first.token }],
    [principal(admin.id as string, highest), { token: admin.token }],
  ]
})
after(() => service.stop())

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).toSorted()

test('every door shows exactly the records on which the rule holds', async () => {
  for (const [i, read] of reading.entries())
    for (const [caller, by] of callers) {
      const rows = rowsOf[i] as ClubRow[]
      const right = idsOf(rows.filter((row) => read.plain(row, { club, caller }) === true))
      const about = `${read.words} for ${JSON.stringify(caller)}`
      const list = await service.ask('GET', `/api/v1/copies-${i}?limit=100`, by)
      if (list.status === 200) assert.deepEqual(idsOf(list.body.data), right, about)
      else assert.deepEqual([right, list.status], [[], caller.kind === 'anonymous' ? 401 : 403], about)
      const query = `{ copies${i}(limit: 100) { data { id } totalCount: total } }`
      void query
      const graph = await service.ask('POST', '/graphql', {
        ...by,
        body: { query: `{ copies${i}(limit: 100) { data { id } } }` },
      })
      if (list.status === 200) assert.deepEqual(idsOf(graph.body.data[`copies${i}`].data), right, about)
      else assert.ok(graph.body.errors, about)
      const summary = await service.ask('GET', `/api/v1/copies-${i}/summary`, by)
      if (list.status === 200) assert.equal(summary.body.data[0].count, right.length, about)
      for (const row of rows.slice(0, 4)) {
        const { status } = await service.ask('GET', `/api/v1/copies-${i}/${row.id}`, by)
        const isShown = right.includes(row.id)
        assert.ok(isShown ? status === 200 : [401, 403, 404].includes(status), `${status} ${about}`)
      }
    }
})

test('a write is let in exactly where the record is seen and its rule holds', async () => {
  for (const [i, write] of writing.entries())
    for (const [caller, by] of callers)
      for (const row of (rowsOf[i] as ClubRow[]).slice(0, 6)) {
        const input = { club, caller }
        const isRight = reading[i]?.plain(row, input) === true && write.plain(row, input) === true
        const { status } = await service.ask('PATCH', `/api/v1/copies-${i}/${row.id}`, {
          ...by,
          body: { motto: row.motto },
          headers: { prefer: 'dry-run' },
        })
        assert.equal(
          status < 300,
          isRight && caller.kind === 'user',
          `${status} ${write.words} ${JSON.stringify(caller)}`,
        )
      }
})
