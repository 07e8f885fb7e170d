/**
 * Summaries grouped, and lists sorted, by fields behind references. A record behind a reference
 * that the caller may not read counts as none, in every answer.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, anyOf, anyone, bigint, date, defineResource, integer, integerId, reference, role, text, timestamp, where } from '../../src/index.ts' // biome-ignore format: one list
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'

const admin = role('ADMIN')
const people = accounts({ roles: ['USER', 'ADMIN'] })
const write = { create: anyone, update: anyone, delete: anyone }
const clubs = defineResource({
  name: 'club',
  path: '/clubs',
  fields: {
    id: integerId(),
    name: text({ maxLength: 60 }),
    open: integer({ default: 1 }),
    code: text({ maxLength: 60, read: admin }),
    size: bigint(),
    madeAt: timestamp(),
  },
  list: { style: 'page', sortable: ['name', 'code', 'size', 'madeAt'] },
  access: { list: anyone, get: anyOf([admin, where({ open: 1 })]), ...write },
})
const teams = defineResource({
  name: 'team',
  path: '/teams',
  fields: {
    id: integerId(),
    name: text({ maxLength: 60 }),
    clubId: reference('club', { onDelete: 'clear' }),
    overId: reference('team', { onDelete: 'clear' }),
    foundedOn: date(),
  },
  list: { style: 'page', sortable: ['name', 'foundedOn'] },
  access: { list: anyone, get: anyone, ...write },
})
const games = defineResource({
  name: 'game',
  path: '/games',
  fields: { id: integerId(), teamId: reference('team', { onDelete: 'clear' }), goals: integer({ required: true }) },
  list: { style: 'page', sortable: ['goals'], search: [] },
  access: { list: anyone, get: anyone, export: anyone, ...write },
})

let service: TestService
let boss: TestPerson
const api = '/api/v1'
async function make(path: string, body: object): Promise<number> {
  const reply = await service.ask('POST', `${api}${path}`, { token: boss.token, body })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}
const get = (path: string, token?: string) => service.ask('GET', `${api}${path}`, token === undefined ? {} : { token })
async function groups(query: string, token?: string): Promise<unknown> {
  const reply = await get(`/games/summary?${query}`, token)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data
}
const goalsOf = (reply: { body: { data: { goals: number }[] } }) => reply.body.data.map(({ goals }) => goals)
async function goals(query: string, token?: string): Promise<number[]> {
  const reply = await get(`/games?${query}`, token)
  assert.equal(reply.status, 200, reply.text)
  return goalsOf(reply)
}

let hidden: number
before(async () => {
  service = await startService([clubs, teams, games, ...people])
  boss = await service.person('ADMIN')
  const big = '9007199254740993'
  const club = (name: string, more: object) => make('/clubs', { name, code: name.slice(0, 1), size: big, ...more })
  const rowing = await club('Rowing', { madeAt: '2026-01-31T23:30:00Z' })
  const chess = await club('chess', { size: '9007199254740992', madeAt: '2026-07-31T22:30:00Z' })
  hidden = await club('Zen', { open: 0, madeAt: '2025-01-01T00:00:00Z' })
  const eight = await make('/teams', { name: 'Eight', clubId: rowing, foundedOn: '1999-12-31' })
  const four = await make('/teams', { name: 'four', clubId: rowing, overId: eight, foundedOn: '2000-01-01' })
  const pawns = await make('/teams', { name: '\u{1f600}', clubId: chess, overId: four })
  const monks = await make('/teams', { name: '\uffff', clubId: hidden, overId: eight })
  const ofTeams = [eight, four, pawns, monks, null, eight, monks]
  for (const [i, teamId] of ofTeams.entries()) await make('/games', { teamId, goals: i + 1 })
})
after(() => service.stop())

test('a summary groups through references, and a record that the caller may not get counts as none', async () => {
  assert.deepEqual(await groups('group=team.club.name&sum=goals', boss.token), [
    { 'team.club.name': null, count: 1, sum: { goals: 5 } },
    { 'team.club.name': 'Rowing', count: 3, sum: { goals: 9 } },
    { 'team.club.name': 'Zen', count: 2, sum: { goals: 11 } },
    { 'team.club.name': 'chess', count: 1, sum: { goals: 3 } },
  ])
  assert.deepEqual(await groups('group=team.club.name&sum=goals'), [
    { 'team.club.name': null, count: 3, sum: { goals: 16 } },
    { 'team.club.name': 'Rowing', count: 3, sum: { goals: 9 } },
    { 'team.club.name': 'chess', count: 1, sum: { goals: 3 } },
  ])
  assert.deepEqual(await groups('group=team.foundedOn.year,team.over.name&sort=-count&limit=1'), [
    { 'team.foundedOn.year': null, 'team.over.name': 'Eight', count: 2 },
  ])
  assert.deepEqual(await groups('group=team.club.size'), [
    { 'team.club.size': null, count: 3 },
    { 'team.club.size': '9007199254740992', count: 1 },
    { 'team.club.size': '9007199254740993', count: 3 },
  ])
  const months = await groups('group=team.club.madeAt.month&_tz=Europe/Berlin')
  assert.deepEqual(months, [
    { 'team.club.madeAt.month': null, count: 3 },
    { 'team.club.madeAt.month': '2026-02', count: 3 },
    { 'team.club.madeAt.month': '2026-08', count: 1 },
  ])
})

test('a list is sorted through references, null first, by pages and by cursors', async () => {
  assert.deepEqual(await goals('sort=team.name'), [5, 1, 6, 2, 4, 7, 3])
  assert.deepEqual(await goals('sort=-team.name,goals'), [3, 4, 7, 2, 1, 6, 5])
  assert.deepEqual(await goals('sort=team.club.size,-goals', boss.token), [5, 3, 7, 6, 4, 2, 1])
  assert.deepEqual(await goals('sort=team.club.size,-goals'), [7, 5, 4, 3, 6, 2, 1])
  for (const sort of [
    'team.name',
    '-team.name',
    'team.club.size,-goals',
    'goals,-team.over.over.name',
    '-team.club.madeAt',
  ])
    for (const token of [boss.token, undefined]) {
      const whole = await goals(`sort=${sort}`, token)
      const paged = [
        ...(await goals(`sort=${sort}&limit=3`, token)),
        ...(await goals(`sort=${sort}&limit=3&page=2`, token)),
      ]
      assert.deepEqual(paged, whole.slice(0, 6), sort)
      const walked: number[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const reply = await get(`/games?sort=${sort}&limit=2&cursor=${cursor}`, token)
        walked.push(...goalsOf(reply))
        cursor = reply.body.meta.nextCursor
      }
      assert.deepEqual(walked, whole, sort)
    }
  const lines = await service.ask('GET', `${api}/games/export?sort=-team.name,goals`, {})
  assert.deepEqual(lines.text.trim().split('\n').map((line) => JSON.parse(line).goals), [3, 4, 7, 2, 1, 6, 5]) // biome-ignore format: one line
})

test('every answer is that of a world without what the caller may not read, and follows its changes', async () => {
  const asked = [
    '/games?sort=team.club.name,goals',
    '/games/summary?group=team.club.name',
    '/games/summary?group=team.club.open',
  ]
  const texts = async () => Promise.all(asked.map(async (path) => (await get(path)).text))
  const before = await texts()
  assert.deepEqual(await texts(), before)
  const change = (body: object) => service.ask('PATCH', `${api}/clubs/${hidden}`, { token: boss.token, body })
  assert.equal((await change({ name: 'Aikido' })).status, 200)
  assert.deepEqual(await texts(), before)
  assert.equal((await change({ open: 1 })).status, 200)
  const open = await texts()
  assert.match(open[1] as string, /Aikido/)
  assert.equal((await change({ name: 'Judo' })).status, 200)
  assert.match((await texts())[1] as string, /Judo/)
  assert.notDeepEqual(await texts(), open)
  assert.equal((await change({ open: 0 })).status, 200)
  assert.deepEqual(await texts(), before)
  assert.equal((await service.ask('DELETE', `${api}/clubs/${hidden}`, { token: boss.token })).status, 204)
  assert.deepEqual((await texts()).map((text) => text.replaceAll(/"teamId":\d+/g, '')), before.map((text) => text.replaceAll(/"teamId":\d+/g, ''))) // biome-ignore format: one line
})

test('paths that lead nowhere, or to what the caller may not read, are refused with what is possible', async () => {
  const refusals = [
    [
      '/games?sort=team.club.code',
      'Cannot sort by team.club.code; sortable: team.club.name, team.club.size, team.club.madeAt',
    ],
    ['/games?sort=team.nothing', 'Cannot sort by team.nothing; sortable: team.name, team.foundedOn'],
    ['/games?sort=nothing.name', 'Cannot sort by nothing.name; sortable: goals'],
    ['/games?sort=team.over.over.over.name', 'sort follows at most 3 references'],
    ['/games?sort=team.name,team.name', 'sort names team.name twice'],
    ['/games/summary?group=team.club.code', /^Cannot group by team\.club\.code; possible: team\.club\.id, /],
    ['/games/summary?group=team.over.over.over.name', 'group follows at most 3 references'],
  ] as const
  for (const [path, expected] of refusals) {
    const { status, body } = await get(path)
    assert.equal(status, 400, path)
    if (typeof expected === 'string') assert.equal(body.error, expected)
    else assert.match(body.error, expected)
  }
  assert.deepEqual(((await groups('group=team.club.code', boss.token)) as unknown[]).length, 3)
  const cursor = (await get('/games?sort=team.name&limit=2&cursor=')).body.meta.nextCursor
  for (const other of ['-team.name', 'team.club.name', 'goals'])
    assert.equal((await get(`/games?sort=${other}&limit=2&cursor=${cursor}`)).status, 400, other)
})

test('GraphQL groups and sorts by the same paths', async () => {
  const ask = async (query: string) => (await service.ask('POST', '/graphql', { body: { query } })).body
  const summary = await ask(
    '{ gamesSummary(sort: "-count", limit: 2) { name: behind(path: "team.club.name") count sum { goals } } }',
  )
  assert.deepEqual(
    summary.data,
    {
      gamesSummary: [
        { name: null, count: 3, sum: { goals: 16 } },
        { name: 'Rowing', count: 3, sum: { goals: 9 } },
      ],
    },
    JSON.stringify(summary),
  )
  const list = await ask('{ games(sort: "-team.name,goals", limit: 2) { data { goals } } }')
  assert.deepEqual(list.data, { games: { data: [{ goals: 3 }, { goals: 4 }] } }, JSON.stringify(list))
})
