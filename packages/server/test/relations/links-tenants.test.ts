/** Links inside tenants: the records of another club are as absent, at every door. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startService, type TestPerson } from '../../src/testing/index.ts'
import { closedClubhouse } from '../tenants/closed-clubhouse.ts'

const own = await startService(closedClubhouse)
after(() => own.stop())

type Club = { readonly clubId: string; readonly helper: string; readonly coach: TestPerson }
/** A coach of both clubs decides about each of them. */
const both = await own.person()
async function addClub(name: string): Promise<Club> {
  const clubId = ((await own.make('club', { name })) as { id: string }).id
  const coach = await own.person()
  for (const { id } of [coach, both]) await own.make('membership', { clubId, userId: id, role: 'COACH' })
  const teamId = ((await own.make('team', { clubId, name: `${name} team` })) as { id: string }).id
  const helper = (await own.make('teamMember', { teamId, userId: coach.id })) as { id: string }
  return { clubId, coach, helper: helper.id }
}
const rowing = await addClub('Rowing')
const chess = await addClub('Chess')
const nowhere = '01a20a6f-0e48-72c1-8d2f-bb66b83ff11a'

const ask = (method: string, path: string, { as = rowing.coach, body }: { as?: TestPerson; body?: unknown } = {}) =>
  own.ask(method, path.startsWith('/graphql') ? path : `/api/v1${path}`, {
    token: as.token,
    ...(body !== undefined && { body }),
  })
const made = await ask('POST', '/events', {
  body: { clubId: rowing.clubId, title: 'Regatta', helpers: [rowing.helper] },
})
assert.equal(made.status, 201, made.text)
const path = `/events/${made.body.id}`

test('a record of another tenant cannot be linked, as if it did not exist', async () => {
  const form = (id: string) => [[id], [rowing.helper, id], { add: [id] }, { set: [id] }]
  for (const as of [rowing.coach, both])
    for (const [i, helpers] of form(chess.helper).entries())
      for (const [method, place, more] of [
        ['PATCH', path, {}],
        ['POST', '/events', { clubId: rowing.clubId, title: 'New' }],
        ['PATCH', '/events?title=Regatta&limit=5', {}],
      ] as const) {
        const refused = await ask(method, place, { as, body: { ...more, helpers } })
        const absent = await ask(method, place, { as, body: { ...more, helpers: form(nowhere)[i] } })
        assert.deepEqual(
          [refused.status, refused.body.error],
          [400, 'helpers refers to no team member that exists'],
          `${method} ${place}`,
        )
        assert.deepEqual(refused.body, absent.body)
      }
  const update = 'mutation ($id: ID!, $input: UpdateEventInput!) { updateEvent(id: $id, input: $input) { id } }'
  const variables = { id: made.body.id, input: { helpers: { add: [chess.helper] } } }
  const { body } = await ask('POST', '/graphql', { as: both, body: { query: update, variables } })
  assert.equal(body.errors[0].message, 'helpers refers to no team member that exists')
  const removed = await ask('PATCH', path, { as: both, body: { helpers: { remove: [chess.helper] } } })
  assert.equal(removed.status, 200, removed.text)
  assert.deepEqual((await ask('GET', `${path}?fields=helpers`)).body.helpers, [rowing.helper])
})

test('filters, expansions and exports of a tenant have nothing of another one', async () => {
  const theirs = await ask('POST', '/events', {
    as: chess.coach,
    body: { clubId: chess.clubId, title: 'Open', helpers: [chess.helper] },
  })
  assert.equal(theirs.status, 201, theirs.text)
  const some = (where: object) => `/events?filter=${encodeURIComponent(JSON.stringify({ helpers: { some: where } }))}`
  const counted = async (place: string, as?: TestPerson) => {
    const reply = await ask('GET', place, as ? { as } : {})
    assert.equal(reply.status, 200, reply.text)
    return reply.body.meta.total
  }
  const filters = [`/events?helpers=${chess.helper}`, some({ id: { eq: chess.helper } })]
  filters.push(some({ userId: { eq: chess.coach.id } }))
  for (const place of filters)
    assert.deepEqual([await counted(place), await counted(place, chess.coach), await counted(place, both)], [0, 1, 1])
  const every = `/events?filter=${encodeURIComponent('{"helpers":{"none":{"id":{"eq":"'.concat(chess.helper, '"}}}}'))}`
  assert.equal(await counted(every), 1)
  for (const place of [
    '/events?expand=helpers',
    '/events?fields=helpers',
    '/events/export',
    `${path}?expand=helpers`,
  ]) {
    const reply = await ask('GET', place)
    assert.equal(reply.status, 200, reply.text)
    assert.ok(reply.text.includes(rowing.helper), place)
    assert.ok(!reply.text.includes(chess.helper) && !reply.text.includes(theirs.body.id), place)
  }
  const inTenant = await own.ask('GET', '/api/v1/events?fields=helpers', {
    token: both.token,
    headers: { 'x-tenant': rowing.clubId },
  })
  assert.ok(inTenant.text.includes(rowing.helper) && !inTenant.text.includes(chess.helper), inTenant.text)
})

test('versions show the links of the tenant to its members, and a revert puts these back', async () => {
  const changed = await ask('PATCH', path, { body: { helpers: [] } })
  assert.equal(changed.status, 200, changed.text)
  const [newest, ...earlier] = (await ask('GET', `${path}/history?fields=historyVersion,helpers`)).body.data
  assert.deepEqual([newest.helpers, earlier.at(-1).helpers], [[], [rowing.helper]])
  assert.equal((await ask('GET', `${path}/history?fields=helpers`, { as: chess.coach })).status, 404)
  const revert = { historyVersion: earlier.at(-1).historyVersion }
  assert.equal((await ask('POST', `${path}/revert`, { as: chess.coach, body: revert })).status, 404)
  for (const as of [rowing.coach, both]) {
    assert.equal((await ask('POST', `${path}/revert`, { as, body: revert })).status, 200)
    assert.deepEqual((await ask('GET', `${path}?fields=helpers`)).body.helpers, [rowing.helper])
  }
})

test('neither end of a link moves to another club', async () => {
  const team = (await ask('GET', '/teams', { as: chess.coach })).body.data[0]
  for (const [place, body, sentence] of [
    [path, { clubId: chess.clubId }, 'clubId never changes: a record stays in its tenant'],
    [`/team-members/${rowing.helper}`, { teamId: team.id }, 'teamId refers to no team that exists'],
  ] as const) {
    const { status, body: told } = await ask('PATCH', place, { as: both, body })
    assert.deepEqual([status, told.error], [400, sentence])
  }
})
